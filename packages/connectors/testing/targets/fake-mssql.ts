// A fake SQL Server: TDS 7.4 with TLS inside its first packets, logins with a password, ALTER LOGIN, and the
// connector's queries, matched by their text (those of a search in fake-mssql-catalog.ts). Does not prove: a real server,
// whether it understands the statements, policies, Windows logins, routing, Azure.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import type { ServerCertificate } from "../certificates.ts";
import { emptyCatalog, searchAnswer, type FakeMssqlCatalog } from "./fake-mssql-catalog.ts";

const [SQL_BATCH, RESULT, ATTENTION, LOGIN7, PRELOGIN] = [1, 4, 6, 16, 18];
const ATTENTION_DONE = 0x20;
const HEADER_BYTES = 8;

interface StoredLogin {
  password: string;
  isAdministrator: boolean;
  mayAlter: boolean;
  isSecurityAdmin?: boolean;
  /** Returned instead of a successful login. */
  error: number | null;
}

export interface FakeMssql {
  host: string;
  port: number;
  addLogin(name: string, password: string, more?: Partial<Omit<StoredLogin, "password">>): void;
  /** Name, data source and remote login. */
  linkedServers: [string, string, string][];
  /** The databases, for searches. */
  catalog: FakeMssqlCatalog;
  /**
   * Replaces the fake's answer to the next ALTER LOGIN with an error; null closes the connection after the statement
   * was executed.
   */
  answerOnce(error: number | null): void;
  stop(): Promise<void>;
}

/** With a `certificate` of null, the server reports that it does not support TLS. */
export async function startFakeMssql(
  certificate: ServerCertificate | null,
  routeTo?: { host: string; port: number },
): Promise<FakeMssql> {
  const logins: Logins = new Map();
  const sockets = new Set<Socket>();
  const linkedServers: [string, string, string][] = [];
  const catalog = emptyCatalog();
  let planned: { error: number | null } | null = null;

  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let by = "";
    const handle = (wire: Duplex) => (type: number, content: Buffer) => {
      if (type === PRELOGIN) {
        wire.write(packetOf(RESULT, prelogin(certificate !== null)));
        if (certificate !== null) encrypt(socket, certificate, handle);
      } else if (type === LOGIN7) {
        const { answer, name } = logIn(content, logins, routeTo);
        by = name ?? "";
        wire.write(packetOf(RESULT, answer));
      } else if (type === SQL_BATCH) {
        const text = content.subarray(content.readUInt32LE(0)).toString("utf16le");
        const found = searchAnswer(text, catalog, logins.get(by)?.isAdministrator === true);
        if (found === "never") return;
        if (found === "close") return void socket.destroy();
        if (found !== null) {
          const answer = "error" in found ? refusal(found.error) : table(found.names, found.rows);
          return void wire.write(packetOf(RESULT, answer));
        }
        const isAlter = text.startsWith("ALTER LOGIN");
        const own = isAlter ? planned : null;
        if (isAlter) planned = null;
        const answer = own?.error ? refusal(own.error) : obey(text, by, logins, linkedServers);
        if (own?.error === null) socket.destroy();
        else wire.write(packetOf(RESULT, answer));
      } else if (type === ATTENTION) {
        // The end of the cancelled statement, then the confirmation.
        wire.write(packetOf(RESULT, done()));
        wire.write(packetOf(RESULT, done(ATTENTION_DONE)));
      }
    };
    readPackets(socket, handle(socket));
  };

  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    addLogin: (name, password, more = {}) =>
      logins.set(name, { password, isAdministrator: false, mayAlter: false, error: null, ...more }),
    linkedServers,
    catalog,
    answerOnce: (error) => (planned = { error }),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

type Logins = Map<string, StoredLogin>;

const flag = (is: boolean | undefined): string => (is === true ? "1" : "0");
const refusal = (...errors: number[]): Buffer => Buffer.concat([...errors.map(errorToken), done(2)]);

function logIn(packet: Buffer, logins: Logins, routeTo?: { host: string; port: number }) {
  const field = (at: number) =>
    packet.subarray(packet.readUInt16LE(at), packet.readUInt16LE(at) + packet.readUInt16LE(at + 2) * 2);
  const name = field(40).toString("utf16le");
  const password = Buffer.from(field(44).map((byte) => ((byte ^ 0xa5) >> 4) | (((byte ^ 0xa5) & 15) << 4)));
  const login = logins.get(name);
  if (login === undefined || login.password !== password.toString("utf16le"))
    return { answer: refusal(18456), name: null };
  // After an unavailable database the server also reports a refused login.
  if (login.error !== null)
    return { answer: login.error === 4060 ? refusal(4060, 18456) : refusal(login.error), name: null };
  const routing = routeTo === undefined ? [] : [routingToken(routeTo)];
  return { answer: Buffer.concat([loginAck(), ...routing, done()]), name };
}

function obey(text: string, by: string, logins: Logins, linked: readonly string[][]): Buffer {
  if (text.startsWith("SELECT CAST(HAS_PERMS")) return rights(logins.get(by), logins.get(textIn(text, "SUSER_ID(")));
  if (text.includes("FROM sys.sql_logins")) return list(logins);
  if (text.includes("FROM sys.servers")) return table(["name", "source", "login"], linked);
  return text.startsWith("ALTER LOGIN") ? alter(text, by, logins) : done();
}

function rights(caller: StoredLogin | undefined, login: StoredLogin | undefined): Buffer {
  const may = flag(caller?.mayAlter || caller?.isAdministrator);
  const id = login === undefined ? null : "257";
  return table(
    ["may", "controls", "id", "sysadmin"],
    [[may, flag(caller?.isAdministrator), id, flag(login?.isAdministrator)]],
  );
}

function list(logins: Logins): Buffer {
  const rows = [...logins].map(([name, { error, isAdministrator, isSecurityAdmin, mayAlter }]) => [
    name,
    flag(error === 18470),
    flag(error === 18486),
    flag(isAdministrator),
    flag(isSecurityAdmin),
    mayAlter ? "ALTER ANY LOGIN" : null,
    "2",
    flag(error === 18488),
    "41",
    "2026-01-02T03:04:05.678",
  ]);
  const names = ["sysadmin", "securityadmin", "rights", "hash", "must_change", "days_left", "changed"];
  return table(["name", "disabled", "locked", ...names], rows);
}

function alter(text: string, by: string, logins: Logins): Buffer {
  const parts = alterIn(text);
  if (parts === null) return refusal(102);
  const [caller, login] = [logins.get(by), logins.get(parts.name)];
  const isOwn = by === parts.name && parts.old !== null && parts.old === login?.password;
  const mayAlter = caller?.isAdministrator === true || (caller?.mayAlter === true && login?.isAdministrator !== true);
  if (login === undefined || !(isOwn || mayAlter)) return refusal(15151);
  if (parts.password.length < 8) return refusal(15117);
  login.password = parts.password;
  return done();
}

/** Calls back with each message once its last packet has arrived. */
function readPackets(wire: Duplex, take: (type: number, content: Buffer) => void): void {
  let buffered = Buffer.alloc(0);
  let message: Buffer[] = [];
  wire.on("data", (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= HEADER_BYTES && buffered.length >= buffered.readUInt16BE(2)) {
      const [type = 0, status = 0] = buffered;
      const length = buffered.readUInt16BE(2);
      message.push(buffered.subarray(HEADER_BYTES, length));
      buffered = buffered.subarray(length);
      if ((status & 1) === 0) continue;
      const whole = Buffer.concat(message);
      message = [];
      take(type, whole);
    }
  });
}

/** MS-TDS §2.2.6.5: the handshake is inside packets of the pre-login; later data is not. */
function encrypt(
  socket: Socket,
  certificate: ServerCertificate,
  handle: (wire: Duplex) => (type: number, content: Buffer) => void,
): void {
  socket.removeAllListeners("data");
  let isWrapped = true;
  const inner = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, next) => socket.write(isWrapped ? packetOf(PRELOGIN, chunk) : chunk, next),
  });
  let buffered = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered[0] === PRELOGIN && buffered.length >= HEADER_BYTES && buffered.length >= buffered.readUInt16BE(2)) {
      const length = buffered.readUInt16BE(2);
      inner.push(buffered.subarray(HEADER_BYTES, length));
      buffered = buffered.subarray(length);
    }
    // TLS records start with 20 to 23, never with the number of a pre-login.
    if (buffered.length === 0 || buffered[0] === PRELOGIN) return;
    isWrapped = false;
    inner.push(buffered);
    buffered = Buffer.alloc(0);
  });
  const context = createSecureContext({ cert: certificate.certificate, key: certificate.privateKey });
  const secure = new TLSSocket(inner, { isServer: true, secureContext: context });
  secure.on("error", () => socket.destroy());
  readPackets(secure, handle(secure));
}

const MOST_IN_PACKET = 30_000;

/** A message: as many packets as it needs, of which the last is marked. */
function packetOf(type: number, content: Buffer): Buffer {
  const rest = content.subarray(MOST_IN_PACKET);
  const part = content.subarray(0, MOST_IN_PACKET);
  const head = Buffer.from([type, rest.length === 0 ? 1 : 0, 0, 0, 0, 0, 1, 0]);
  head.writeUInt16BE(part.length + HEADER_BYTES, 2);
  return Buffer.concat(rest.length === 0 ? [head, part] : [head, part, packetOf(type, rest)]);
}

/** VERSION and ENCRYPTION: on, or not supported. */
const prelogin = (canEncrypt: boolean): Buffer =>
  Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 255, 16, 0, 0, 0, 0, 0, canEncrypt ? 1 : 2]);

const ucs2 = (text: string) => Buffer.from(text, "utf16le");
const u16 = (value: number) => Buffer.from([value & 255, value >> 8]);
const i32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
const shortText = (text: string) => Buffer.concat([Buffer.from([text.length]), ucs2(text)]);
const longText = (text: string) => Buffer.concat([u16(text.length), ucs2(text)]);
const token = (type: number, content: Buffer) => Buffer.concat([Buffer.from([type]), u16(content.length), content]);

function errorToken(number: number): Buffer {
  return token(
    0xaa,
    Buffer.concat([i32(number), Buffer.from([1, 14]), longText("no"), shortText("double"), shortText(""), i32(1)]),
  );
}

const loginAck = () =>
  token(
    0xad,
    Buffer.concat([Buffer.from([1, 0x74, 0, 0, 4]), shortText("Microsoft SQL Server"), Buffer.from([16, 0, 0, 0])]),
  );

/** ENVCHANGE 20, as sent by a gateway. */
function routingToken({ host, port }: { host: string; port: number }): Buffer {
  const value = Buffer.concat([Buffer.from([0]), u16(port), longText(host)]);
  return token(0xe3, Buffer.concat([Buffer.from([20]), u16(value.length), value, u16(0)]));
}

const done = (status = 0) => Buffer.concat([Buffer.from([0xfd]), u16(status), u16(0), Buffer.alloc(8)]);

/** Columns of nvarchar(max). Their values are sent in chunks (MS-TDS §2.2.5.2.3). */
function table(names: readonly string[], rows: readonly (readonly (string | null)[])[]): Buffer {
  if (names.length === 0) return done();
  const columns = names.map((name) =>
    Buffer.concat([
      i32(0),
      u16(9),
      Buffer.from([0xe7]),
      u16(0xffff),
      Buffer.from([9, 4, 0xd0, 0, 0x34]),
      shortText(name),
    ]),
  );
  const cell = (value: string | null) => {
    if (value === null) return Buffer.alloc(8, 0xff);
    const size = value.length * 2;
    return Buffer.concat([i32(size), i32(0), ...(size === 0 ? [] : [i32(size), ucs2(value)]), i32(0)]);
  };
  const lines = rows.map((row) => Buffer.concat([Buffer.from([0xd1]), ...row.map(cell)]));
  return Buffer.concat([Buffer.from([0x81]), u16(names.length), ...columns, ...lines, done()]);
}

/** The string constant right after `before`, parsed as in SQL Server's manual. */
function textIn(statement: string, before: string): string {
  const at = statement.indexOf(before);
  const [, text = ""] = /^N'((?:[^']|'')*)'/.exec(statement.slice(at + before.length)) ?? [];
  return text.replaceAll("''", "'");
}

/** The whole statement or nothing: any remaining text would be a second statement. */
function alterIn(statement: string): { name: string; password: string; old: string | null } | null {
  const shape =
    /^ALTER LOGIN \[((?:[^\]]|\]\])*)\] WITH PASSWORD = N'((?:[^']|'')*)'(?: OLD_PASSWORD = N'((?:[^']|'')*)')?$/;
  const [, name, password, old] = shape.exec(statement) ?? [];
  if (name === undefined || password === undefined) return null;
  const plain = (text: string) => text.replaceAll("''", "'");
  return { name: name.replaceAll("]]", "]"), password: plain(password), old: old === undefined ? null : plain(old) };
}
