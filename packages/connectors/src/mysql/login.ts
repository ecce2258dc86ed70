// One MySQL or MariaDB login with a password, from the first byte to the proof of identity (mysql2).
import { TLSSocket } from "node:tls";
import type { Connection, RowDataPacket } from "mysql2";
import type { Attempt } from "../attempt.ts";
import { MAX_RECEIVED_BYTES } from "../bounded-stream.ts";
import { databaseAddress, type DatabaseAddress } from "../connection-string.ts";
import type { Failure, Target } from "../connector.ts";
import { dial, nameOf } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { loginFailure, serverErrno } from "./login-failure.ts";
import { openSession, type Session } from "./session.ts";

export interface LoggedIn {
  address: DatabaseAddress;
  tls: TlsSettings & { protocol: string | null };
  /** Null when the password has expired: then it can be changed, but no query works. */
  identity: Identity | null;
  isMariadb: boolean;
  /** The server's version, sent before the login. */
  greeting: string;
  /** The rows of an answer. Rejects when the statement or the connection fails. */
  ask<Row extends object>(sql: string): Promise<Row[]>;
  /** Allows an answer of this many bytes. */
  expect(bytes: number): void;
}

interface Identity {
  /** `user@host` of the account that logged in. */
  account: string;
  /** `user@host` of the client, as seen by the server. */
  seen: string;
  proxy: string | null;
  version: string;
}

export interface LoginOptions {
  maxReceivedBytes?: number;
  /** Lets an account log in with an expired password, in order to change it. */
  isToChange?: boolean;
}

/** The address and user that `logIn` would use. */
export const addressOf = (target: Target) => databaseAddress(target, ["mysql", "mariadb"], 3306);

/** A session exists only if the password let the user in. It ends with the attempt. */
export async function logIn(
  target: Target,
  password: string,
  current: Attempt,
  { maxReceivedBytes = MAX_RECEIVED_BYTES, isToChange = false }: LoginOptions = {},
): Promise<{ loggedIn: LoggedIn } | { failure: Failure }> {
  const address = addressOf(target);
  if ("failure" in address) return address;
  const tls = tlsSettings(target, address.tlsMode);
  if ("failure" in tls) return tls;
  if (password === "") return { failure: misconfigured("bad-input", "The password is empty.") };
  const dialled = await dial(address, current, maxReceivedBytes);
  if ("failure" in dialled) return dialled;

  current.waitFor(`${nameOf(address)} to answer the MySQL login`);
  const session = openSession(dialled.stream, address, password, tls);
  const ask = <Row extends object>(sql: string) => rowsOf<Row>(session.connection, sql);
  try {
    const identity = await readIdentity(ask, isToChange);
    if (identity === undefined || (identity !== null && isOtherAccount(identity, address))) {
      return { failure: notChecked(address) };
    }
    const greeting = session.greeting();
    const isMariadb = /mariadb/i.test(identity?.version ?? greeting);
    const protocol = protocolOf(session);
    const expect = (bytes: number) => dialled.stream.expect(bytes);
    return { loggedIn: { address, tls: { ...tls, protocol }, identity, isMariadb, greeting, ask, expect } };
  } catch (error) {
    return { failure: (await session.tlsFailure()) ?? loginFailure(error, address, tls.mode !== "disable") };
  }
}

/** Queried first: a user whose password has expired can log in, and is refused only at the first query. */
async function readIdentity(ask: LoggedIn["ask"], isToChange: boolean): Promise<Identity | null | undefined> {
  try {
    const [identity] = await ask<Identity>(
      "select current_user() as account, user() as seen, @@proxy_user as proxy, version() as version",
    );
    return identity;
  } catch (error) {
    if (isToChange && serverErrno(error) === MUST_CHANGE) return null;
    throw error;
  }
}

export const MUST_CHANGE = 1820;

function rowsOf<Row extends object>(connection: Connection, sql: string): Promise<Row[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
  connection.once("error", reject);
  connection.query<RowDataPacket[]>(sql, (error, rows) => {
    connection.removeListener("error", reject);
    if (error === null) resolve(rows as unknown as Row[]);
    else reject(error);
  });
  return promise;
}

/** The login reached a different account from the requested one, and not as a proxy for it. */
const isOtherAccount = (identity: Identity, { username }: DatabaseAddress) =>
  nameIn(identity.account) !== username && !identity.proxy;

/** The user of `user@host`; either may contain an `@`, hosts never do. */
export const nameIn = (account: string) => account.replace(/@[^@]*$/, "");

/** The host of `user@host`. */
export const hostIn = (account: string) => account.slice(account.lastIndexOf("@") + 1);

/** A server with anonymous users or without grant tables accepts any user, as a different account from the requested one. */
function notChecked(address: DatabaseAddress): Failure {
  return misconfigured(
    "password-not-checked",
    `${nameOf(address)} let ${address.username} in as another account (an anonymous one, or grant tables are off), so the stored password was not verified.`,
  );
}

function protocolOf(session: Session): string | null {
  const stream = session.stream();
  return stream instanceof TLSSocket ? stream.getProtocol() : null;
}
