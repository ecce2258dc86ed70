// Sets the password of a PostgreSQL role with another role, and checks beforehand whether that is permitted.
import type { Attempt, ChangeAttempt } from "../attempt.ts";
import type { DatabaseAddress } from "../connection-string.ts";
import type { ChangeFinding, Facts, Failure, Finding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, obstacleTo, refused, unsent, verified, type NotChanged } from "../finding.ts";
import { loginFailure } from "./login-failure.ts";
import { addressOf, logIn, type LoggedIn } from "./login.ts";
import { obstacle } from "./server.ts";
import { candidateProblem, MAX_NAME_BYTES, setPassword } from "./set-password.ts";

export async function reconcilePassword(
  target: Target,
  by: ReconcileLogin,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const login = await logInBy(target, by, current);
  if ("failure" in login) return unsent(login.failure);
  const right = await rightOver(login.username, login.loggedIn);
  if ("failure" in right) return unsent(right.failure);
  if (right.refusal !== null) return right.refusal;
  return setPassword(login.loggedIn, login.username, candidate, current);
}

export async function checkRight(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const login = await logInBy(target, by, current);
  if ("failure" in login) return login.failure;
  const { username, loggedIn } = login;
  const right = await rightOver(username, loggedIn);
  if ("failure" in right) return right.failure;
  if (right.refusal !== null) return obstacleTo(right.refusal);
  const where = nameOf(loggedIn.address);
  return verified(
    `Logged in to ${where} as ${by.username}, which has permission to change the password of ${username}.`,
    right.facts,
  );
}

type ByLogin = { username: string; loggedIn: LoggedIn } | { failure: Failure };

/** Logs in as `by`, to a database that exists whatever the name of the role. */
async function logInBy(target: Target, by: ReconcileLogin, current: Attempt): Promise<ByLogin> {
  const address = addressOf(target);
  if ("failure" in address) return address;
  const { username } = address;
  if (Buffer.byteLength(username) > MAX_NAME_BYTES || username.includes("\0")) {
    return {
      failure: misconfigured("bad-input", `A role name can have at most ${MAX_NAME_BYTES} bytes and no NUL character.`),
    };
  }
  if (by.username === "") return { failure: misconfigured("bad-input", "The reconcile account has no user name.") };
  const databaseName = target.databaseName || "postgres";
  const login = await logIn({ ...target, username: by.username, databaseName }, by.secret.reveal(), current);
  return "failure" in login ? login : { username, loggedIn: login.loggedIn };
}

async function rightOver(
  username: string,
  { client, address, tls }: LoggedIn,
): Promise<{ refusal: NotChanged | null; facts: Facts } | { failure: Failure }> {
  try {
    const reason = await obstacle(client, address);
    if (reason !== null) return { refusal: refused("not-changeable", reason), facts: {} };
    const { rows } = await client.query<Rights>(QUERY, [username]);
    const [rights] = rows;
    const refusal = refusalFor(rights, username, address);
    return { refusal, facts: { isSuperuser: rights?.is_super === true, bySelf: rights?.is_self === true } };
  } catch (error) {
    return { failure: loginFailure(error, address, tls.mode !== "disable") };
  }
}

function refusalFor(rights: Rights | undefined, username: string, address: DatabaseAddress): NotChanged | null {
  const where = nameOf(address);
  if (rights?.exists !== true) return refused("no-such-account", `There is no role ${username} on ${where}.`);
  if (!maySetPassword(rights)) {
    return refused(
      "no-permission",
      `${address.username} has no permission to change the password of ${username} on ${where}. ${whatIsMissing(rights)}`,
    );
  }
  if (rights.can_login !== true || rights.is_expired === true) {
    const why = rights.is_expired === true ? "the VALID UNTIL of its password has passed" : "it is NOLOGIN";
    return refused(
      "not-changeable",
      `No password would let ${username} log in to ${where}: ${why}. Change that first.`,
    );
  }
  return null;
}

/** The server also determines the column types, so no type is assumed. */
interface Rights {
  version: unknown;
  is_self: unknown;
  is_super: unknown;
  may_create: unknown;
  exists: unknown;
  target_is_super: unknown;
  target_replicates: unknown;
  has_admin: unknown;
  can_login: unknown;
  is_expired: unknown;
}

/**
 * ALTER ROLE's rules: CREATEROLE was enough for all but superusers until 15; from 16 on it also needs ADMIN on the
 * role.
 */
function maySetPassword(rights: Rights): boolean {
  if (rights.is_super === true || rights.is_self === true) return true;
  if (rights.may_create !== true || rights.target_is_super === true) return false;
  return Number(rights.version) >= 160_000 ? rights.has_admin === true : rights.target_replicates !== true;
}

function whatIsMissing(rights: Rights): string {
  if (rights.target_is_super === true) return "Only a superuser can change it, because it is one.";
  if (rights.may_create !== true) return "That needs CREATEROLE.";
  return Number(rights.version) >= 160_000
    ? "That also needs the ADMIN option on the role."
    : "Only a superuser can change it, because it has REPLICATION.";
}

const QUERY = `
  select current_setting('server_version_num')::int as version, me.oid = r.oid as is_self, me.rolsuper as is_super,
         me.rolcreaterole as may_create, r.oid is not null as exists, r.rolsuper as target_is_super,
         r.rolreplication as target_replicates, pg_has_role(me.oid, r.oid, 'member with admin option') as has_admin,
         r.rolcanlogin as can_login, coalesce(r.rolvaliduntil < now(), false) as is_expired
    from pg_roles me left join pg_roles r on r.rolname = $1::text where me.rolname = session_user`;
