// Test data: a safe with accounts in different statuses, one of them under a grant, and users with different rights.
import type { Account, Safe } from "@strongroom/contract";
import { requestsOf } from "#features/access-requests/testing/requestable-account.ts";
import { searchKeys } from "#features/secrets/index.ts";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import type { TestApp } from "#testing/test-app.ts";

export interface World {
  safe: Safe;
  owner: TestPerson;
  /** A user who may only list the safe's accounts. */
  reader: TestPerson;
  /** Like `reader`, but with an active grant. */
  requester: TestPerson;
  approver: TestPerson;
  outsider: TestPerson;
  admin: TestPerson;
  lent: Account;
  refused: Account;
  unreachable: Account;
  idle: Account;
  works: Account;
  untried: Account;
  sessionId: string;
}

type Stands = "verified" | "rejected" | "unreachable" | "misconfigured";

/** Sets the status of a stored secret, as an attempt some hours ago would have done. */
export async function stands(app: TestApp, { id }: { id: string }, how: Stands, hoursAgo = 1): Promise<void> {
  const at = `now() - interval '${hoursAgo} hours'`;
  const { rows } = await app.database.pool.query<Parameters<typeof searchKeys>[0]>(
    `update credentials set verification_status = $2, last_verification_attempt = ${at},
       verification_error = case when $2 <> 'verified' then 'The server said no' end,
       verified_at = case when $2 = 'verified' then ${at} else verified_at end,
       rejected_revision = case when $2 = 'rejected' then login_revision end
     where id = $1 returning *`,
    [id, how],
  );
  await app.database.pool.query("update credentials set search_keys = $2 where id = $1", [id, searchKeys(rows[0]!)]);
  await tried(app, { id }, how, hoursAgo);
}

/** Inserts an attempt that started `hoursAgo` hours ago. */
export async function tried(app: TestApp, { id }: { id: string }, outcome: Stands, hoursAgo: number): Promise<void> {
  const at = `date_trunc('milliseconds', now() - interval '${hoursAgo} hours')`;
  await app.database.pool.query(
    `insert into verification_attempts (id, credential_id, user_id, revision, trigger, triggered_by, credential_name, type,
       host, username, method, started_at, lease_until, finished_at, outcome, code, message, duration_ms)
     select gen_random_uuid(), id, user_id, login_revision, 'scheduled', 'Strongroom', name, type, host, username, 'linux',
       ${at}, ${at}, ${at}, $2, case when $2 = 'rejected' then 'wrong-password' end, 'The server said no', 100
     from credentials where id = $1`,
    [id, outcome],
  );
}

/** Adds 2,100 accounts without attempts to this account's safe. Returns a function that deletes them. */
export async function addFillers(app: TestApp, { id }: { id: string }): Promise<() => Promise<void>> {
  const { rows } = await app.database.pool.query<{ id: string }>(
    `with made as (
       insert into credentials (id, safe_id, name, type, username, host, environment, ssl_enabled, additional_params,
         secret_version, created_at, updated_at, search_text, search_keys)
       select gen_random_uuid(), safe_id, 'filler' || n, type, username, host, environment, ssl_enabled, additional_params,
         1, now(), now(), 'filler' || n, search_keys
       from credentials cross join generate_series(1, 2100) n where credentials.id = $1 returning id)
     insert into accounts (id, platform_id, system_type, connection_method, status, rotated_at, created_by)
     select made.id, platform_id, 'Website', connection_method, 'active', now(), created_by
     from made cross join accounts where accounts.id = $1 returning id`,
    [id],
  );
  const ids = rows.map((row) => row.id);
  return async () => {
    await app.database.pool.query("delete from accounts where id = any($1)", [ids]);
    await app.database.pool.query("delete from credentials where id = any($1)", [ids]);
  };
}

let count = 0;

export async function aWorld(app: TestApp): Promise<World> {
  const admin = await firstAdmin(app);
  const owner = await aPerson(app);
  count += 1;
  const safe = await aSafe(app, owner, { name: `Payments ${count}` });
  const platform = await aPlatform(app, { approvals_level_1: 1, system_type: "Linux", connection_method: "RDP" });
  const account = async (name: string) =>
    anAccount(app, owner, safe, {
      name: `${name}-${count}`,
      hostname: `${name}.example.com`,
      platform_id: platform.id,
      system_type: name === "idle" ? "Windows" : "Linux",
      connection_method: "RDP",
    });
  const [lent, refused, unreachable] = [await account("lent"), await account("refused"), await account("unreachable")];
  const [idle, works, untried] = [await account("idle"), await account("works"), await account("untried")];
  const [reader, requester, approver, outsider] = await Promise.all(Array.from({ length: 4 }, () => aPerson(app)));
  const people = { reader: reader!, requester: requester!, approver: approver!, outsider: outsider! };
  await aMember(app, owner, safe, people.reader, ["list"]);
  await aMember(app, owner, safe, people.requester, ["list"]);
  await aMember(app, owner, safe, people.approver, "approver");

  const requests = requestsOf(app);
  const asked = await requests.ask(people.requester, lent, { reason: "The nightly batch hangs" });
  if (asked.status !== 201) throw new Error(asked.text);
  const granted = await requests.approve(people.approver, asked.body);
  if (granted.status !== 200) throw new Error(granted.text);

  await stands(app, lent, "unreachable");
  await stands(app, refused, "rejected");
  await stands(app, unreachable, "unreachable", 30);
  await stands(app, idle, "rejected");
  await stands(app, works, "verified");
  await app.database.pool.query("update accounts set status = 'disabled' where id = $1", [idle.id]);
  return { safe, owner, ...people, admin, lent, refused, unreachable, idle, works, untried, sessionId: asked.body.id };
}
