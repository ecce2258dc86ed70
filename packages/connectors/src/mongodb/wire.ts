// MongoDB's messages over our own stream: one command, one answer (MongoDB Wire Protocol, OP_MSG). Only the driver's
// BSON is used.
import type { Duplex } from "node:stream";
import { BSON } from "mongodb";

export type Doc = Record<string, unknown>;

/** The server returned an error; `code` is one of MongoDB's error codes. */
export class ServerError extends Error {
  code: number;
  constructor(code: number) {
    super(`MongoDB answered with error ${code}`);
    this.code = code;
  }
}

/** The answer is not from a MongoDB server. */
export class NotMongodb extends Error {}

const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** The flags, then the kind of the only section. */
const PREFIX_BYTES = 5;
/** The largest message that a server sends (maxMessageSizeBytes); the stream has its own, lower limit. */
const MAX_MESSAGE_BYTES = 48_000_000;

/** Sends one command at a time. Rejects with one of the errors above, or with the stream's own. */
export function wireOver(stream: Duplex): (command: Doc) => Promise<Doc> {
  let chunks: Buffer[] = [];
  let waiting: PromiseWithResolvers<Buffer> | null = null;
  let length: number | null = null;
  let requestId = 0;
  const fail = (error: Error) => waiting?.reject(error);
  stream.on("error", fail);
  stream.on("close", () => fail(new Error("closed")));
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    const received = chunks.reduce((total, each) => total + each.length, 0);
    if (length === null && received >= 4) length = Buffer.concat(chunks).readInt32LE(0);
    if (length !== null && (length < HEADER_BYTES + PREFIX_BYTES || length > MAX_MESSAGE_BYTES || received > length))
      fail(new NotMongodb());
    else if (received === length) waiting?.resolve(Buffer.concat(chunks));
  });

  return async (command) => {
    if (stream.destroyed) throw new Error("closed");
    chunks = [];
    length = null;
    waiting = Promise.withResolvers();
    requestId += 1;
    stream.write(messageOf(requestId, command));
    return answerIn(await waiting.promise, requestId);
  };
}

function messageOf(requestId: number, command: Doc): Buffer {
  const body = BSON.serialize(command);
  const head = Buffer.alloc(HEADER_BYTES + PREFIX_BYTES);
  [head.length + body.length, requestId, 0, OP_MSG].forEach((value, index) => head.writeInt32LE(value, index * 4));
  return Buffer.concat([head, body]);
}

function answerIn(message: Buffer, requestId: number): Doc {
  const isAnswer = message.readInt32LE(8) === requestId && message.readInt32LE(12) === OP_MSG;
  if (!isAnswer || message.readInt32LE(16) !== 0 || message[20] !== 0) throw new NotMongodb();
  const body = parsed(message.subarray(HEADER_BYTES + PREFIX_BYTES));
  const { ok, code, writeConcernError } = body;
  if (Number(ok) !== 1) throw typeof code === "number" ? new ServerError(code) : new NotMongodb();
  // WriteConcernFailed: done on this server, but it may be lost.
  if (writeConcernError !== undefined) throw new ServerError(64);
  return body;
}

function parsed(bytes: Buffer): Doc {
  try {
    return BSON.deserialize(bytes);
  } catch (error) {
    throw new NotMongodb("unreadable", { cause: error });
  }
}
