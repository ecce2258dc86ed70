// One connection of the pg driver over a stream of ours, which never sends the password in a way that a listener could read.
import type { Duplex } from "node:stream";
import pg from "pg";
import type { DatabaseAddress } from "../connection-string.ts";

/** The server asked for the password in clear text but nobody knows who would get it. Nothing was sent. */
export class InsecurePassword extends Error {}

export interface SessionRequest {
  address: DatabaseAddress;
  password: string;
  /** True when a listener could not read it and the server is known to be the right one. */
  mayCarryClearText: boolean;
  /** A query that takes longer is given up, so that it cannot hide that the log-in worked. */
  queryTimeoutMs: number;
}

export interface Session {
  /** Not connected yet. Its end is the stream's: destroy that. */
  client: pg.Client;
  /** True once the server has asked for the password: one that never asks has not checked it. */
  wasAsked(): boolean;
  /** True when the server used SCRAM and left out its own proof (RFC 5802 §5): whoever it is, it may know nothing. */
  owesProof(): boolean;
  /** True when the server asked in the way in which it asks for passwords that it keeps as md5. */
  isMd5(): boolean;
}

/** `stream` is connected, and encrypted already when it is to be: the driver does no TLS of its own. */
export function openSession(stream: Duplex, request: SessionRequest): Session {
  const { address, password } = request;
  let wasAsked = false;
  let isCleartext = false;
  let owesProof = false;
  let isMd5 = false;
  const client = new pg.Client({
    user: address.username,
    database: address.database ?? address.username,
    host: address.host,
    port: address.port,
    ssl: false,
    sslnegotiation: "postgres",
    application_name: "strongroom",
    query_timeout: Math.ceil(request.queryTimeoutMs),
    stream: () => alreadyConnected(stream),
    password: () => {
      wasAsked = true;
      if (isCleartext && !request.mayCarryClearText) throw new InsecurePassword("clear text");
      return password;
    },
  });
  // The driver asks for the password in the same way whatever it is for: learn first which kind it is.
  client.connection.prependListener("authenticationCleartextPassword", () => (isCleartext = true));
  client.connection.prependListener("authenticationMD5Password", () => (isMd5 = true));
  client.connection.on("authenticationSASL", () => (owesProof = true));
  client.connection.on("authenticationSASLFinal", () => (owesProof = false));
  // What fails after the answer is of no interest, and must not end the process.
  client.on("error", () => {});
  return { client, wasAsked: () => wasAsked, owesProof: () => owesProof, isMd5: () => isMd5 };
}

/** The driver calls `connect` on its stream and waits for the event. */
function alreadyConnected(stream: Duplex): Duplex {
  return Object.assign(stream, {
    connect: () => process.nextTick(() => stream.emit("connect")),
    setNoDelay: () => stream,
  });
}
