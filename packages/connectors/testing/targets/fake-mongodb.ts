// A fake MongoDB: OP_MSG, SCRAM-SHA-256, users in databases, the few commands of the connector, with or without TLS.
// Does not prove: a real server, SCRAM-SHA-1, replica sets, write concerns, hosted MongoDB, custom roles. What a search
// reads is in fake-mongodb-data.ts.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { BSON } from "mongodb";
import type { ServerCertificate } from "../certificates.ts";
import { searchAnswer, type FakeMongodbDatabase } from "./fake-mongodb-data.ts";

type Doc = Record<string, unknown>;

interface StoredUser {
  name: string;
  db: string;
  roles: string[];
  salt: Buffer;
  salted: Buffer;
}

export interface FakeMongodb {
  host: string;
  port: number;
  addUser(name: string, password: string, roles?: string[], db?: string): void;
  /** Replaces the next answer to `command` with an error; null closes the connection after the command was executed. */
  answerOnce(command: string, error: { code: number } | null): void;
  /** The databases, for searches. */
  databases: FakeMongodbDatabase[];
  /** The cursors that are open. */
  cursors: Map<number, unknown>;
  stop(): Promise<void>;
}

const ROUNDS = 4096;

/** The state of one connection. */
interface Client {
  user: StoredUser | null;
  login: { user: StoredUser | undefined; message: string } | null;
}

/** `isOpen`: requires no login. */
export async function startFakeMongodb(certificate: ServerCertificate | null, isOpen = false): Promise<FakeMongodb> {
  const users: StoredUser[] = [];
  const sockets = new Set<Socket>();
  const databases: FakeMongodbDatabase[] = [];
  const cursors = new Map();
  let planned: { command: string; error: { code: number } | null } | null = null;

  const serve = (socket: Socket) => {
    const client: Client = { user: null, login: null };
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    readMessages(socket, (command, body, reply) => {
      const own = planned?.command === command ? planned : null;
      if (own !== null) planned = null;
      const found = searchAnswer(command, body, { databases, cursors, roles: client.user?.roles ?? null });
      if (found === "close") return void socket.destroy();
      const answer = own?.error
        ? { ok: 0, code: own.error.code, errmsg: "no" }
        : (found ?? obey(command, body, users, client, isOpen));
      if (own?.error === null) socket.destroy();
      else reply(answer);
    });
  };

  const server =
    certificate === null
      ? createServer(serve)
      : createTlsServer({ cert: certificate.certificate, key: certificate.privateKey }, serve);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    addUser: (name, password, roles = ["changeOwnPassword"], db = "admin") =>
      store(users, { name, db, roles }, password),
    answerOnce: (command, error) => (planned = { command, error }),
    databases,
    cursors,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function store(users: StoredUser[], user: Pick<StoredUser, "name" | "db" | "roles">, password: string): void {
  const salt = randomBytes(28);
  const stored = { ...user, salt, salted: pbkdf2Sync(password, salt, ROUNDS, 32, "sha256") };
  const at = users.findIndex(({ name, db }) => name === user.name && db === user.db);
  if (at === -1) users.push(stored);
  else users[at] = stored;
}

const DENIED = { ok: 0, code: 13, codeName: "Unauthorized", errmsg: "no" };
const HELLO = {
  ok: 1,
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  minWireVersion: 0,
  maxWireVersion: 21,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  saslSupportedMechs: ["SCRAM-SHA-256"],
};

function obey(command: string, body: Doc, users: StoredUser[], client: Client, isOpen: boolean): Doc {
  const db = typeof body["$db"] === "string" ? body["$db"] : "admin";
  switch (command) {
    case "hello":
    case "ismaster":
    case "isMaster":
      return HELLO;
    case "saslStart":
      return saslStart(users, client, db, payloadOf(body));
    case "saslContinue":
      return saslContinue(client, payloadOf(body));
    case "endSessions":
    case "ping":
      return { ok: 1 };
    default:
  }
  if (client.user === null && !isOpen) return DENIED;
  switch (command) {
    case "connectionStatus":
      return connectionStatus(client, db, body["showPrivileges"] === true);
    case "updateUser":
      return updateUser(users, client, db, body);
    case "usersInfo":
      return usersInfo(users, client, db, body["usersInfo"]);
    default:
      return { ok: 0, code: 59, codeName: "CommandNotFound", errmsg: "no" };
  }
}

function mayAdminister({ user }: Client, db: string): boolean {
  const isAble = (role: string) =>
    ["root", "userAdminAnyDatabase"].includes(role) || (role === "userAdmin" && user?.db === db);
  return user?.roles.some(isAble) === true;
}

function connectionStatus(client: Client, db: string, showPrivileges: boolean): Doc {
  const { user } = client;
  const everything = [{ resource: { db: "", collection: "" }, actions: ["changePassword", "viewUser"] }];
  const privileges = mayAdminister(client, db) ? everything : [];
  return {
    ok: 1,
    authInfo: {
      authenticatedUsers: user === null ? [] : [{ user: user.name, db: user.db }],
      authenticatedUserRoles: user?.roles.map((role) => ({ role, db: user.db })) ?? [],
      ...(showPrivileges ? { authenticatedUserPrivileges: privileges } : {}),
    },
  };
}

function updateUser(users: StoredUser[], client: Client, db: string, body: Doc): Doc {
  const user = users.find((each) => each.name === String(body["updateUser"]) && each.db === db);
  const isSame = user !== undefined && user.name === client.user?.name && user.db === client.user.db;
  if (!(isSame && user.roles.includes("changeOwnPassword")) && !mayAdminister(client, db)) return DENIED;
  if (user === undefined) return { ok: 0, code: 11, codeName: "UserNotFound", errmsg: "no" };
  store(users, user, String(body["pwd"]));
  return { ok: 1 };
}

function usersInfo(users: StoredUser[], client: Client, db: string, wanted: unknown): Doc {
  const isEverywhere = typeof wanted === "object";
  if (isEverywhere && !mayAdminister(client, "admin")) return DENIED;
  const seen = users.filter((each) => isEverywhere || each.db === db);
  const shown = ({ name, db, roles }: StoredUser) => ({
    _id: `${db}.${name}`,
    user: name,
    db,
    roles: roles.map((role) => ({ role, db })),
    mechanisms: ["SCRAM-SHA-256"],
  });
  return { ok: 1, users: seen.map(shown) };
}

/** RFC 5802 §3, the server's side. */
function saslStart(users: readonly StoredUser[], client: Client, db: string, payload: Buffer): Doc {
  const [, bare = ""] = /^n,,(.*)$/.exec(payload.toString()) ?? [];
  const [, name = "", nonce = ""] = /^n=([^,]*),r=(.*)$/.exec(bare) ?? [];
  const plain = name.replaceAll("=2C", ",").replaceAll("=3D", "=");
  const user = users.find((each) => each.name === plain && each.db === db);
  const salt = user?.salt ?? createHash("sha256").update(name).digest().subarray(0, 28);
  const first = `r=${nonce}${randomBytes(18).toString("base64")},s=${salt.toString("base64")},i=${ROUNDS}`;
  client.login = { user, message: `${bare},${first}` };
  return { ok: 1, conversationId: 1, done: false, payload: new BSON.Binary(Buffer.from(first)) };
}

function saslContinue(client: Client, payload: Buffer): Doc {
  const { login } = client;
  client.login = null;
  if (login === null) return { ok: 1, conversationId: 1, done: true, payload: new BSON.Binary(Buffer.alloc(0)) };
  const [, without = "", proof = ""] = /^(c=biws,r=[^,]*),p=(.*)$/.exec(payload.toString()) ?? [];
  const salted = login.user?.salted ?? randomBytes(32);
  const message = `${login.message},${without}`;
  const clientKey = hmac(salted, "Client Key");
  const signature = hmac(createHash("sha256").update(clientKey).digest(), message);
  const expected = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  if (!expected.equals(Buffer.from(proof, "base64")))
    return { ok: 0, code: 18, codeName: "AuthenticationFailed", errmsg: "no" };
  client.user = login.user ?? null;
  const verifier = hmac(hmac(salted, "Server Key"), message).toString("base64");
  return { ok: 1, conversationId: 1, done: true, payload: new BSON.Binary(Buffer.from(`v=${verifier}`)) };
}

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

const [OP_REPLY, OP_MSG] = [1, 2013];

/** Calls back with each command, and a function that answers it in the form of the request. */
function readMessages(socket: Socket, take: (command: string, body: Doc, reply: (answer: Doc) => void) => void): void {
  let buffered = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= 16 && buffered.length >= buffered.readInt32LE(0)) {
      const message = buffered.subarray(0, buffered.readInt32LE(0));
      buffered = buffered.subarray(message.length);
      const [id, isMessage] = [message.readInt32LE(4), message.readInt32LE(12) === OP_MSG];
      // A driver's first request is an OP_QUERY: a zero-terminated name and two numbers before the document.
      const body = BSON.deserialize(message.subarray(isMessage ? 21 : message.indexOf(0, 20) + 9), {
        promoteLongs: false,
      });
      take(Object.keys(body)[0] ?? "", body, (answer) =>
        socket.write(
          isMessage ? packed(id, OP_MSG, Buffer.alloc(5), answer) : packed(id, OP_REPLY, ONE_DOCUMENT, answer),
        ),
      );
    }
  });
}

/** The header fields of an OP_REPLY: flags, cursor, start, and a document count of one. */
const ONE_DOCUMENT = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);

function packed(to: number, opcode: number, prefix: Buffer, body: Doc): Buffer {
  const content = Buffer.concat([prefix, BSON.serialize(body)]);
  const header = Buffer.alloc(16);
  [content.length + 16, 1, to, opcode].forEach((value, index) => header.writeInt32LE(value, index * 4));
  return Buffer.concat([header, content]);
}

function payloadOf(body: Doc): Buffer {
  const { payload } = body;
  return payload instanceof BSON.Binary
    ? Buffer.from(payload.buffer.subarray(0, payload.position))
    : Buffer.from(payload as Uint8Array);
}
