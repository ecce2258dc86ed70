// One connection of the pg driver over our own stream, which never sends the password in a form that can be
// intercepted.
import type { Duplex } from "node:stream";
import pg from "pg";
import type { DatabaseAddress } from "../connection-string.ts";

/** The server asked for the password in clear text, but its identity is unknown. Nothing was sent. */
export class InsecurePassword extends Error {}

export interface SessionRequest {
  address: DatabaseAddress;
  password: string;
  /** True when the connection is encrypted and the server's identity is verified. */
  mayCarryClearText: boolean;
  /** A slower query is abandoned, so that it cannot hide a successful login. */
  queryTimeoutMs: number;
}

export interface Session {
  /** The client, which has not connected yet. To end it, destroy the stream. */
  client: pg.Client;
  /** True once the server has asked for the password: a server that never asks has not checked it. */
  wasAsked(): boolean;
  /** True when the server used SCRAM and omitted its own proof (RFC 5802 §5): it may not know the password. */
  owesProof(): boolean;
  /** True when the server used the request that goes with passwords stored as md5. */
  isMd5(): boolean;
}

/** `stream` is connected, and encrypted already if it should be: the driver does no TLS. */
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
  // The driver requests the password in the same way for every method, so the method is recorded first.
  client.connection.prependListener("authenticationCleartextPassword", () => (isCleartext = true));
  client.connection.prependListener("authenticationMD5Password", () => (isMd5 = true));
  client.connection.on("authenticationSASL", () => (owesProof = true));
  client.connection.on("authenticationSASLFinal", () => (owesProof = false));
  // A failure after the answer does not matter, and must not crash the process.
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
