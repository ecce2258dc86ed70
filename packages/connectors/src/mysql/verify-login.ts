// One MySQL or MariaDB log-in and the questions that prove who got in (mysql2).
import { TLSSocket } from "node:tls";
import { escapeId, type Connection, type RowDataPacket } from "mysql2";
import { type Attempt } from "../attempt.ts";
import { databaseAddress, type DatabaseAddress } from "../connection-string.ts";
import type { Finding, Target } from "../connector.ts";
import { dial, nameOf } from "../dial.ts";
import { misconfigured, verified } from "../finding.ts";
import { tlsSettings, type TlsMode } from "../tls-settings.ts";
import { loginFailure } from "./login-failure.ts";
import { openSession, type Session } from "./session.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const address = databaseAddress(target, ["mysql", "mariadb"], 3306);
  if ("failure" in address) return address.failure;
  const tls = tlsSettings(target, address.tlsMode);
  if ("failure" in tls) return tls.failure;
  if (password === "") return misconfigured("bad-input", "The password is empty.");
  const dialled = await dial(address, current);
  if ("failure" in dialled) return dialled.failure;

  current.waitFor(`${nameOf(address)} to answer the MySQL log-in`);
  const session = openSession(dialled.stream, address, password, tls);
  try {
    const identity = await ask<Identity>(session.connection, WHO_AM_I);
    if (identity === undefined || (accountName(identity) !== address.username && !identity.proxy))
      return notChecked(address);
    if (address.database !== null) await ask(session.connection, `use ${escapeId(address.database)}`);
    return loggedIn(address, identity, session, tls.mode);
  } catch (error) {
    return (await session.tlsFailure()) ?? loginFailure(error, address, tls.mode !== "disable");
  } finally {
    dialled.stream.destroy();
  }
}

interface Identity extends RowDataPacket {
  account: string;
  proxy: string | null;
  version: string;
}

/** Asked first of all: a user whose password has expired gets in, and is refused only at the first question. */
const WHO_AM_I = "select current_user() as account, @@proxy_user as proxy, version() as version";

/** The first row of the answer. Every failure of the log-in or the connection rejects. */
function ask<Row extends RowDataPacket>(connection: Connection, sql: string): Promise<Row | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>();
  connection.once("error", reject);
  connection.query<Row[]>(sql, (error, rows) => {
    if (error === null) resolve(rows[0]);
    else reject(error);
  });
  return promise;
}

/** `current_user()` without the host. */
function accountName(identity: Identity): string {
  return identity.account.replace(/@[^@]*$/, "");
}

/** A server with anonymous users or without grant tables lets everybody in, as somebody else than was asked for. */
function notChecked(address: DatabaseAddress): Finding {
  return misconfigured(
    "password-not-checked",
    `${nameOf(address)} let ${address.username} in as another account (an anonymous one, or grant tables are off), so the stored password proves nothing.`,
  );
}

function loggedIn(address: DatabaseAddress, identity: Identity, session: Session, mode: TlsMode): Finding {
  const stream = session.stream();
  const database = address.database === null ? "" : `/${address.database}`;
  return verified(`Logged in to ${nameOf(address)}${database} as ${address.username}.`, {
    serverVersion: /^\d{1,3}(\.\d{1,3}){0,2}(-MariaDB)?/.exec(identity.version)?.[0] ?? null,
    tls: { mode, protocol: stream instanceof TLSSocket ? stream.getProtocol() : null },
  });
}
