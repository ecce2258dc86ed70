// A double of MongoDB: OP_MSG, SCRAM-SHA-256, users in databases, the few commands of a connector, with or without TLS. Not proved by it:
// a real server, SCRAM-SHA-1, replica sets, write concerns, hosted MongoDB, custom roles.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { BSON } from "mongodb";
import type { ServerCertificate } from "../certificates.ts";

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
  /** Instead of the next answer to `command`: an error, or null to close the connection after it was done. */
  answerOnce(command: string, error: { code: number } | null): void;
  stop(): Promise<void>;
}

const ROUNDS = 4096;

/** `isOpen`: lets everybody in without a log-in. */
export async function startFakeMongodb(certificate: ServerCertificate | null, isOpen = false): Promise<FakeMongodb> {
  const users: StoredUser[] = [];
  const sockets = new Set<Socket>();
  let planned: { command: string; error: { code: number } | null } | null = null;

  const set = (user: Pick<StoredUser, "name" | "db" | "roles">, password: string) => {
    const salt = randomBytes(28);
    const at = users.findIndex(({ name, db }) => name === user.name && db === user.db);
    users.splice(at === -1 ? users.length : at, at === -1 ? 0 : 1, {
      ...user,
      salt,
      salted: pbkdf2Sync(password, salt, ROUNDS, 32, "sha256"),
    });
  };

  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let buffered = Buffer.alloc(0);
    const session = {
      user: null as StoredUser | null,
      login: null as { user: StoredUser | undefined; message: string; nonce: string } | null,
    };

    const saslStart = (db: string, payload: Buffer): Doc => {
      const [, bare = ""] = /^n,,(.*)$/.exec(payload.toString()) ?? [];
      const [, name = "", nonce = ""] = /^n=([^,]*),r=(.*)$/.exec(bare) ?? [];
      const plain = name.replaceAll("=2C", ",").replaceAll("=3D", "=");
      const user = users.find((each) => each.name === plain && each.db === db);
      const own = nonce + randomBytes(18).toString("base64");
      const salt = (user?.salt ?? createHash("sha256").update(name).digest().subarray(0, 28)).toString("base64");
      const first = `r=${own},s=${salt},i=${ROUNDS}`;
      session.login = { user, message: `${bare},${first}`, nonce: own };
      return { ok: 1, conversationId: 1, done: false, payload: new BSON.Binary(Buffer.from(first)) };
    };

    const saslContinue = (payload: Buffer): Doc => {
      const { login } = session;
      session.login = null;
      if (login === null) return { ok: 1, conversationId: 1, done: true, payload: new BSON.Binary(Buffer.alloc(0)) };
      const [, without = "", proof = ""] = /^(c=biws,r=[^,]*),p=(.*)$/.exec(payload.toString()) ?? [];
      const salted = login.user?.salted ?? randomBytes(32);
      const message = `${login.message},${without}`;
      const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
      const clientKey = hmac(salted, "Client Key");
      const signature = hmac(createHash("sha256").update(clientKey).digest(), message);
      const expected = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0));
      if (!Buffer.from(expected).equals(Buffer.from(proof, "base64")))
        return { ok: 0, code: 18, codeName: "AuthenticationFailed", errmsg: "no" };
      session.user = login.user ?? null;
      const server = hmac(hmac(salted, "Server Key"), message).toString("base64");
      return { ok: 1, conversationId: 1, done: true, payload: new BSON.Binary(Buffer.from(`v=${server}`)) };
    };

    const may = (db: string) =>
      session.user?.roles.some(
        (role) => ["root", "userAdminAnyDatabase"].includes(role) || (role === "userAdmin" && session.user?.db === db),
      ) === true;

    const obey = (command: string, body: Doc): Doc => {
      const db = String(body["$db"] ?? "admin");
      const denied = { ok: 0, code: 13, codeName: "Unauthorized", errmsg: "no" };
      switch (command.toLowerCase()) {
        case "hello":
        case "ismaster":
          return {
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
        case "saslstart":
          return saslStart(db, payloadOf(body));
        case "saslcontinue":
          return saslContinue(payloadOf(body));
        case "endsessions":
        case "ping":
          return { ok: 1 };
        default:
      }
      if (session.user === null && !isOpen) return denied;
      switch (command) {
        case "connectionStatus":
          return {
            ok: 1,
            authInfo: {
              authenticatedUsers: session.user === null ? [] : [{ user: session.user.name, db: session.user.db }],
              authenticatedUserRoles: [],
              ...(body["showPrivileges"] === true
                ? {
                    authenticatedUserPrivileges: may(db)
                      ? [{ resource: { db: "", collection: "" }, actions: ["changePassword", "viewUser"] }]
                      : [],
                  }
                : {}),
            },
          };
        case "updateUser": {
          const name = String(body["updateUser"]);
          const user = users.find((each) => each.name === name && each.db === db);
          const isOwn = user !== undefined && user === session.user && user.roles.includes("changeOwnPassword");
          if (!isOwn && !may(db)) return denied;
          if (user === undefined) return { ok: 0, code: 11, codeName: "UserNotFound", errmsg: "no" };
          set(user, String(body["pwd"]));
          return { ok: 1 };
        }
        case "usersInfo": {
          const wanted = body["usersInfo"];
          if (typeof wanted === "object" && !may("admin")) return denied;
          const seen = typeof wanted === "object" ? users : users.filter((each) => each.db === db);
          return {
            ok: 1,
            users: seen.map((each) => ({
              _id: `${each.db}.${each.name}`,
              user: each.name,
              db: each.db,
              roles: each.roles.map((role) => ({ role, db: each.db })),
            })),
          };
        }
        default:
          return { ok: 0, code: 59, codeName: "CommandNotFound", errmsg: "no" };
      }
    };

    const take = (message: Buffer) => {
      const [id, opcode] = [message.readInt32LE(4), message.readInt32LE(12)];
      const body =
        opcode === 2013
          ? BSON.deserialize(message.subarray(21))
          : BSON.deserialize(message.subarray(message.indexOf(0, 20) + 9));
      const [command = ""] = Object.keys(body);
      const own = planned?.command === command ? planned : null;
      if (own !== null) planned = null;
      const done = own?.error ? { ok: 0, code: own.error.code, errmsg: "no" } : obey(command, body);
      if (own?.error === null) socket.destroy();
      else socket.write(opcode === 2013 ? asMessage(id, done) : asReply(id, done));
    };

    socket.on("data", (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk]);
      while (buffered.length >= 16 && buffered.length >= buffered.readInt32LE(0)) {
        const length = buffered.readInt32LE(0);
        const message = buffered.subarray(0, length);
        buffered = buffered.subarray(length);
        take(message);
      }
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
    addUser: (name, password, roles = ["changeOwnPassword"], db = "admin") => set({ name, db, roles }, password),
    answerOnce: (command, error) => (planned = { command, error }),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function payloadOf(body: Doc): Buffer {
  const { payload } = body;
  return payload instanceof BSON.Binary
    ? Buffer.from(payload.buffer.subarray(0, payload.position))
    : Buffer.from(payload as Uint8Array);
}

function header(length: number, to: number, opcode: number): Buffer {
  const bytes = Buffer.alloc(16);
  [length + 16, 1, to, opcode].forEach((value, index) => bytes.writeInt32LE(value, index * 4));
  return bytes;
}

function asMessage(to: number, body: Doc): Buffer {
  const content = Buffer.concat([Buffer.alloc(5), BSON.serialize(body)]);
  return Buffer.concat([header(content.length, to, 2013), content]);
}

/** OP_REPLY, for the first question of a driver. */
function asReply(to: number, body: Doc): Buffer {
  const prefix = Buffer.alloc(20);
  prefix.writeInt32LE(1, 16);
  const content = Buffer.concat([prefix, BSON.serialize(body)]);
  return Buffer.concat([header(content.length, to, 1), content]);
}
