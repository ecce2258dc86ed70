// One PostgreSQL login with a password, from the first byte to a session that accepts queries.
import { TLSSocket } from "node:tls";
import type { Client } from "pg";
import type { Attempt } from "../attempt.ts";
import { MAX_RECEIVED_BYTES } from "../bounded-stream.ts";
import { databaseAddress, type DatabaseAddress } from "../connection-string.ts";
import type { Failure, Target } from "../connector.ts";
import { dial, nameOf, connectionFailure, type Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { mayCarryClearText, tlsSettings, type TlsMode } from "../tls-settings.ts";
import { loginFailure, notProved } from "./login-failure.ts";
import type { BoundedStream } from "../bounded-stream.ts";
import { startTls, type Secured } from "../start-tls.ts";
import { tlsRefusal } from "../tls-failure.ts";
import type { TlsSettings } from "../tls-settings.ts";
import { openSession, type Session } from "./session.ts";

/** SSLRequest: length 8, code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface LoggedIn {
  client: Client;
  address: DatabaseAddress;
  tls: { mode: TlsMode; protocol: string | null };
  /** The server stores the password as an md5 hash. */
  isMd5: boolean;
  /** Allows an answer of this many bytes. */
  expect(bytes: number): void;
}

interface LoginLimits {
  maxReceivedBytes?: number;
  /** The time limit of a query, if shorter than the attempt. */
  queryTimeoutMs?: number;
  /** A database other than the target's. */
  database?: string;
}

/** The address and user that `logIn` would use. */
export const addressOf = (target: Target) => databaseAddress(target, ["postgres", "postgresql"], 5432);

/** A session exists only if the password let the role in. It ends with the attempt. */
export async function logIn(
  target: Target,
  password: string,
  current: Attempt,
  { maxReceivedBytes = MAX_RECEIVED_BYTES, queryTimeoutMs = current.remainingMs(), database }: LoginLimits = {},
): Promise<{ loggedIn: LoggedIn } | { failure: Failure }> {
  const usual = addressOf(target);
  if ("failure" in usual) return usual;
  const address = database === undefined ? usual : { ...usual, database };
  const tls = tlsSettings(target, address.tlsMode);
  if ("failure" in tls) return tls;
  if (password === "") return { failure: misconfigured("bad-input", "The password is empty.") };
  if (`${password}${address.username}${address.database ?? ""}`.includes("\0")) return { failure: NUL };
  const dialled = await dial(address, current, maxReceivedBytes);
  if ("failure" in dialled) return dialled;

  current.waitFor(`${nameOf(address)} to answer the PostgreSQL login`);
  const isEncrypted = tls.mode !== "disable";
  const secured = isEncrypted ? await encrypt(dialled.stream, tls, address) : dialled;
  if ("failure" in secured) return secured;
  const session = openSession(secured.stream, {
    address,
    password,
    mayCarryClearText: mayCarryClearText(tls),
    queryTimeoutMs,
  });
  const failure = await connect(session, address, isEncrypted);
  if (failure !== null) return { failure };
  const protocol = secured.stream instanceof TLSSocket ? secured.stream.getProtocol() : null;
  const expect = (bytes: number) => dialled.stream.expect(bytes);
  return {
    loggedIn: { client: session.client, address, tls: { mode: tls.mode, protocol }, isMd5: session.isMd5(), expect },
  };
}

const NUL = misconfigured(
  "bad-input",
  "PostgreSQL does not allow a NUL character in a user name, database name or password.",
);

/** Null when the login succeeded and the password was what let the role in. */
async function connect(session: Session, address: DatabaseAddress, isEncrypted: boolean): Promise<Failure | null> {
  try {
    await session.client.connect();
  } catch (error) {
    return loginFailure(error, address, isEncrypted);
  }
  if (session.owesProof()) return notProved(address);
  return session.wasAsked() ? null : notChecked(address);
}

function notChecked(address: DatabaseAddress): Failure {
  return misconfigured(
    "password-not-checked",
    `${nameOf(address)} lets ${address.username} in without a password (trust, peer, ident or certificate in pg_hba.conf), so the stored one was not verified.`,
  );
}

/** Nothing more is sent to a server that does not answer exactly `S`: a fallback would be unencrypted. */
async function encrypt(stream: BoundedStream, settings: TlsSettings, endpoint: Endpoint): Promise<Secured> {
  stream.write(SSL_REQUEST);
  const answer = await firstChunk(stream, endpoint);
  if ("failure" in answer) return answer;
  // More than one byte would be plain text injected before the encrypted part (CVE-2021-23222).
  if (answer.chunk.toString("latin1") !== "S") return { failure: tlsRefusal("not-offered", endpoint) };
  return startTls(stream, settings, endpoint);
}

function firstChunk(stream: BoundedStream, endpoint: Endpoint): Promise<{ chunk: Buffer } | { failure: Failure }> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ failure: connectionFailure(error, endpoint) });
    stream.once("error", fail);
    stream.once("close", () => fail(null));
    stream.once("data", (chunk: Buffer) => {
      stream.removeListener("error", fail);
      stream.pause();
      resolve({ chunk });
    });
  });
}
