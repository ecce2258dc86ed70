// One MySQL or MariaDB log-in with a password, from the first byte to the proof of who got in (mysql2).
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
  /** Null when the password has expired: then it can be changed, and nothing can be asked. */
  identity: Identity | null;
  isMariadb: boolean;
  /** What the server said of itself before the log-in. */
  greeting: string;
  /** The rows of an answer. Every failure of the statement or the connection rejects. */
  ask<Row extends object>(sql: string): Promise<Row[]>;
}

interface Identity {
  /** `user@host` of the account that got in. */
  account: string;
  /** `user@host` as the server sees the one who asks. */
  seen: string;
  proxy: string | null;
  version: string;
}

export interface LoginOptions {
  maxReceivedBytes?: number;
  /** An account whose password has expired is let in, to change it. */
  isToChange?: boolean;
}

/** Where and as whom: what `logIn` would connect to. */
export const addressOf = (target: Target) => databaseAddress(target, ["mysql", "mariadb"], 3306);

/** The password was what let the user in, or there is no session. It ends with the attempt. */
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

  current.waitFor(`${nameOf(address)} to answer the MySQL log-in`);
  const session = openSession(dialled.stream, address, password, tls);
  const ask = <Row extends object>(sql: string) => rowsOf<Row>(session.connection, sql);
  try {
    const identity = await whoIsIn(ask, isToChange);
    if (identity === undefined || (identity !== null && isSomebodyElse(identity, address))) {
      return { failure: notChecked(address) };
    }
    const greeting = session.greeting();
    const isMariadb = /mariadb/i.test(identity?.version ?? greeting);
    const protocol = protocolOf(session);
    return { loggedIn: { address, tls: { ...tls, protocol }, identity, isMariadb, greeting, ask } };
  } catch (error) {
    return { failure: (await session.tlsFailure()) ?? loginFailure(error, address, tls.mode !== "disable") };
  }
}

/** Asked first of all: a user whose password has expired gets in, and is refused only at the first question. */
async function whoIsIn(ask: LoggedIn["ask"], isToChange: boolean): Promise<Identity | null | undefined> {
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

/** Somebody else than was asked for got in, and not as a proxy for the one who was. */
const isSomebodyElse = (identity: Identity, { username }: DatabaseAddress) =>
  nameIn(identity.account) !== username && !identity.proxy;

/** The user of `user@host`; either may hold an `@`, hosts never do. */
export const nameIn = (account: string) => account.replace(/@[^@]*$/, "");

/** The host of `user@host`. */
export const hostIn = (account: string) => account.slice(account.lastIndexOf("@") + 1);

/** A server with anonymous users or without grant tables lets everybody in, as somebody else than was asked for. */
function notChecked(address: DatabaseAddress): Failure {
  return misconfigured(
    "password-not-checked",
    `${nameOf(address)} let ${address.username} in as another account (an anonymous one, or grant tables are off), so the stored password proves nothing.`,
  );
}

function protocolOf(session: Session): string | null {
  const stream = session.stream();
  return stream instanceof TLSSocket ? stream.getProtocol() : null;
}
