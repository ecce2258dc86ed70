// The start of an AMQP 0-9-1 connection, as far as needed to verify a password (specification, §2.2.4 and §4.2).
import type { Duplex } from "node:stream";

/** The result of the login. `host-refused`: the password was accepted, the virtual host was not. */
export type AmqpAnswer =
  | { kind: "accepted"; serverVersion: string | null }
  | { kind: "refused" | "host-refused" | "no-plain" }
  | { kind: "closed"; code: number };

/** The data received is not AMQP. */
export class NotAmqp extends Error {}

export interface AmqpLoginOptions {
  username: string;
  password: string;
  /** When null, it is enough that the server accepts the password. */
  virtualHost: string | null;
}

const CONNECTION = 10;
const START = 10;
const START_OK = 11;
const TUNE = 30;
const TUNE_OK = 31;
const OPEN = 40;
const OPEN_OK = 41;
const CLOSE = 50;

const ACCESS_REFUSED = 403;
const NOT_ALLOWED = 530;

/** Rejects with `NotAmqp`, or when the connection ends before the result is known. */
export async function amqpLogin(
  stream: Duplex,
  { username, password, virtualHost }: AmqpLoginOptions,
): Promise<AmqpAnswer> {
  const methods = methodsFrom(stream);
  stream.write("AMQP\0\0\x09\x01", "latin1");
  const start = await methods();
  expectMethod(start, START);
  if (!mechanismsOf(start.body).includes("PLAIN")) return { kind: "no-plain" };
  const serverVersion = /versionS....(\d{1,3}(?:\.\d{1,3}){0,2})/s.exec(start.body.toString("latin1"))?.[1] ?? null;
  stream.write(method(START_OK, [CAPABILITIES, short("PLAIN"), long(`\0${username}\0${password}`), short("en_US")]));

  const tune = await methods();
  if (tune.id === CLOSE) return refusal(tune.body, "refused");
  expectMethod(tune, TUNE);
  if (virtualHost === null) return { kind: "accepted", serverVersion };
  // Accepts the server's own limits.
  stream.write(method(TUNE_OK, [tune.body.subarray(0, 8)]));
  stream.write(method(OPEN, [short(virtualHost), short(""), Buffer.from([0])]));
  const opened = await methods();
  if (opened.id === CLOSE) return refusal(opened.body, "host-refused");
  expectMethod(opened, OPEN_OK);
  stream.write(method(CLOSE, [Buffer.from([0, 200]), short(""), Buffer.alloc(4)]));
  return { kind: "accepted", serverVersion };
}

interface Method {
  id: number;
  body: Buffer;
}

function expectMethod(got: Method, id: number): void {
  if (got.id !== id) throw new NotAmqp(`method ${got.id}`);
}

function refusal(body: Buffer, meaning: "refused" | "host-refused"): AmqpAnswer {
  const code = body.length >= 2 ? body.readUInt16BE(0) : 0;
  return code === ACCESS_REFUSED || code === NOT_ALLOWED ? { kind: meaning } : { kind: "closed", code };
}

/** Without this capability the server would close the connection instead of reporting a failed login. */
const CAPABILITIES = table(
  Buffer.concat([
    short("capabilities"),
    Buffer.from("F"),
    table(Buffer.concat([short("authentication_failure_close"), Buffer.from("t\x01")])),
  ]),
);

function table(fields: Buffer): Buffer {
  return Buffer.concat([sizeOf(fields.length), fields]);
}

function short(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function long(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([sizeOf(bytes.length), bytes]);
}

function sizeOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

/** A method frame of channel 0. */
function method(id: number, parts: readonly Buffer[]): Buffer {
  const payload = Buffer.concat([Buffer.from([0, CONNECTION, 0, id]), ...parts]);
  return Buffer.concat([Buffer.from([1, 0, 0]), sizeOf(payload.length), payload, Buffer.from([FRAME_END])]);
}

const FRAME_END = 0xce;
const METHOD_FRAME = 1;
/** Larger frames are negotiated only after the login. */
const MAX_FRAME = 131_072;

/** The mechanisms that the server offers: after two version bytes and a table of properties. */
function mechanismsOf(body: Buffer): string[] {
  const properties = body.length >= 6 ? body.readUInt32BE(2) : MAX_FRAME;
  const at = 6 + properties;
  if (body.length < at + 4) throw new NotAmqp("short");
  return body.toString("latin1", at + 4, at + 4 + body.readUInt32BE(at)).split(" ");
}

/** Returns a function that resolves with the connection's next method; other frames do not occur before it is open. */
function methodsFrom(stream: Duplex): () => Promise<Method> {
  let received: Buffer = Buffer.alloc(0);
  let waiting: PromiseWithResolvers<Method> | null = null;
  const settle = () => {
    if (waiting === null) return;
    try {
      const frame = frameOf(received);
      if (frame === null) return;
      received = received.subarray(frame.end);
      waiting.resolve(frame.method);
    } catch (error) {
      waiting.reject(error);
    }
    waiting = null;
  };
  const fail = (error: Error) => {
    waiting?.reject(error);
    waiting = null;
  };
  stream.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    settle();
  });
  stream.on("error", fail);
  stream.on("close", () => fail(new Error("closed")));
  return () => {
    waiting = Promise.withResolvers<Method>();
    const { promise } = waiting;
    settle();
    if (stream.destroyed) fail(new Error("closed"));
    return promise;
  };
}

function frameOf(bytes: Buffer): { method: Method; end: number } | null {
  // A server with a different version replies with the header of that version.
  if (bytes.length > 0 && bytes[0] !== METHOD_FRAME) throw new NotAmqp("no method frame");
  if (bytes.length < 7) return null;
  const size = bytes.readUInt32BE(3);
  if (size < 4 || size > MAX_FRAME) throw new NotAmqp("size");
  const end = 7 + size + 1;
  if (bytes.length < end) return null;
  if (bytes[end - 1] !== FRAME_END || bytes.readUInt16BE(7) !== CONNECTION) throw new NotAmqp("frame");
  return { method: { id: bytes.readUInt16BE(9), body: bytes.subarray(11, end - 1) }, end };
}
