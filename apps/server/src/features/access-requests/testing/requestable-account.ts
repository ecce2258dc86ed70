// Test factory for a safe with a requestable account, and the calls to request, approve and return access.
import {
  approveAccessRequest,
  breakGlass,
  createAccessRequest,
  denyAccessRequest,
  extendAccessRequest,
  mapAccessRequest,
  readAccessRequest,
  retrieveAccount,
  reviewBreakGlass,
  revokeAccessRequest,
} from "@strongroom/contract";
import type { AccessRequest, Account, InputOf, Safe } from "@strongroom/contract";
import type { AuditEntry } from "@strongroom/auditlog";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import type { TestApp } from "#testing/test-app.ts";

type Asked = Partial<NonNullable<InputOf<typeof createAccessRequest>["body"]>>;
type Id = Pick<AccessRequest, "id">;

/** Access request calls through HTTP. */
export const requestsOf = (app: TestApp) => ({
  ask: (who: TestPerson, account: Pick<Account, "id"> | null, fields: Asked = {}) =>
    app.call(createAccessRequest, {
      body: {
        resource: "Whatever it is called",
        reason: "To restart the queue",
        ...(account === null ? {} : { account_id: account.id }),
        ...fields,
      },
      as: who.token,
    }),
  approve: (who: TestPerson, { id }: Id, comment?: string) =>
    app.call(approveAccessRequest, { params: { id }, body: { comment }, as: who.token }),
  deny: (who: TestPerson, { id }: Id, comment?: string) =>
    app.call(denyAccessRequest, { params: { id }, body: { comment }, as: who.token }),
  revoke: (who: TestPerson, { id }: Id) => app.call(revokeAccessRequest, { params: { id }, body: {}, as: who.token }),
  extend: (who: TestPerson, { id }: Id, extensionMinutes?: number) =>
    app.call(extendAccessRequest, { params: { id }, body: { extensionMinutes }, as: who.token }),
  map: (who: TestPerson, { id }: Id, account: Pick<Account, "id">) =>
    app.call(mapAccessRequest, { params: { id }, body: { account_id: account.id }, as: who.token }),
  open: (who: TestPerson, account: Pick<Account, "id">, durationMinutes?: number) =>
    app.call(breakGlass, {
      body: { account_id: account.id, reason: "The payment system is down now", durationMinutes },
      as: who.token,
    }),
  review: (who: TestPerson, { id }: Id, verdict: "justified" | "not_justified" = "justified") =>
    app.call(reviewBreakGlass, { params: { id }, body: { verdict, comment: "I looked at it" }, as: who.token }),
  read: (who: TestPerson, { id }: Id) => app.call(readAccessRequest, { params: { id }, as: who.token }),
  retrieve: (who: TestPerson, { id }: Pick<Account, "id">) =>
    app.call(retrieveAccount, { params: { id }, as: who.token }),
});

export interface RequestableSetup {
  owner: TestPerson;
  safe: Safe;
  account: Account & { password: string };
  /** A member who may only list and request the account. */
  asker: TestPerson;
  approvers: TestPerson[];
}

type PlatformFields = NonNullable<Parameters<typeof aPlatform>[1]>;

/** An account whose platform requires one approval, unless the fields say otherwise. */
export async function aRequestableAccount(
  app: TestApp,
  { approvers: count = 1, ...fields }: PlatformFields & { approvers?: number } = {},
): Promise<RequestableSetup> {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, { approvals_level_1: 1, ...fields });
  const account = await anAccount(app, owner, safe, { platform_id: platform.id });
  const asker = await aPerson(app);
  await aMember(app, owner, safe, asker, ["list"]);
  const approvers: TestPerson[] = [];
  for (let number = 0; number < count; number++) {
    const approver = await aPerson(app);
    await aMember(app, owner, safe, approver, "approver");
    approvers.push(approver);
  }
  return { owner, safe, account, asker, approvers };
}

/** Shifts the database's clock for access times by this interval from the real time. */
export const shiftTime = (app: TestApp, interval: string): Promise<unknown> =>
  app.database.pool.query(
    `create or replace function access_time() returns timestamptz language sql stable parallel safe as
     $$ select statement_timestamp() + interval '${interval}' $$`,
  );

/** The audit entries of a request, oldest first. */
export async function entriesOf(app: TestApp, id: string): Promise<AuditEntry[]> {
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where target_id = $1 order by at, id",
    [id],
  );
  return rows.map(({ text }) => JSON.parse(text) as AuditEntry);
}

/** Moves a grant's start and end so that the grant ends this many milliseconds from now. */
export const endAfter = (app: TestApp, { id }: Id, milliseconds: number): Promise<unknown> =>
  app.database.pool.query(
    `update access_requests set starts_at = moved.ends_at - (access_requests.ends_at - access_requests.starts_at),
       ends_at = moved.ends_at
     from (select access_time() + $2 * interval '1 ms' as ends_at) moved where id = $1`,
    [id, milliseconds],
  );
