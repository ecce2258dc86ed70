// PostgreSQL roles with a password (pg).
import { TLSSocket } from "node:tls";
import type { Secret } from "@strongroom/keys";
import { attempt, type Attempt } from "../attempt.ts";
import { databaseAddress, type DatabaseAddress } from "../connection-string.ts";
import type { Connector, Failure, Finding, Target, VerifyContext } from "../connector.ts";
import { dial, nameOf } from "../dial.ts";
import { misconfigured, verified } from "../finding.ts";
import { mayCarryClearText, tlsSettings, type TlsMode } from "../tls-settings.ts";
import { encrypt } from "./encryption.ts";
import { factsOf, type RoleFacts } from "./facts.ts";
import { loginFailure, notProved } from "./login-failure.ts";
import { openSession, type Session } from "./session.ts";

/** Facts of `verified`: `serverVersion`, `validUntil`, `isSuperuser`, `schemaExists`, `tls` (`mode`, `protocol`). */
export const postgresql: Connector = {
  id: "postgresql",
  name: "PostgreSQL",
  types: ["postgresql", "database"],
  proven: true,
  verify(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    return attempt(context, (current) => verifyLogin(target, password, current));
  },
};

async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const address = databaseAddress(target, ["postgres", "postgresql"], 5432);
  if ("failure" in address) return address.failure;
  const tls = tlsSettings(target, address.tlsMode);
  if ("failure" in tls) return tls.failure;
  if (password === "") return misconfigured("bad-input", "The password is empty.");
  if (`${password}${address.username}${address.database ?? ""}`.includes("\0")) {
    return misconfigured("bad-input", "PostgreSQL takes no NUL character in a user name, database name or password.");
  }
  const dialled = await dial(address, current);
  if ("failure" in dialled) return dialled.failure;

  current.waitFor(`${nameOf(address)} to answer the PostgreSQL log-in`);
  try {
    const isEncrypted = tls.mode !== "disable";
    const secured = isEncrypted ? await encrypt(dialled.stream, tls, address) : dialled;
    if ("failure" in secured) return secured.failure;
    const queryTimeoutMs = current.remainingMs() / 2;
    const session = openSession(secured.stream, {
      address,
      password,
      mayCarryClearText: mayCarryClearText(tls),
      queryTimeoutMs,
    });
    const refusal = await connect(session, address, isEncrypted);
    if (refusal !== null) return refusal;
    const protocol = secured.stream instanceof TLSSocket ? secured.stream.getProtocol() : null;
    return loggedIn(target, address, await factsOf(session.client, target.schemaName), { mode: tls.mode, protocol });
  } finally {
    dialled.stream.destroy();
  }
}

/** Null when the role is in and the password was what let it in. */
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
    `${nameOf(address)} lets ${address.username} in without asking for the password (trust, peer, ident or certificate in pg_hba.conf), so the stored one proves nothing.`,
  );
}

function loggedIn(
  target: Target,
  address: DatabaseAddress,
  role: RoleFacts,
  tls: { mode: TlsMode; protocol: string | null },
): Finding {
  const where = `${nameOf(address)}/${address.database ?? address.username} as ${address.username}`;
  const parts = [`Logged in to ${where}.`];
  if (role.schemaExists === false)
    parts.push(`The schema ${target.schemaName} does not exist there, or the role may not see it.`);
  if (role.validUntil !== null) parts.push(`The password is valid until ${role.validUntil}.`);
  return verified(parts.join(" "), { ...role, tls });
}
