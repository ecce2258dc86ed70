// Test helpers that act on accounts over HTTP and read their audit entries.
import {
  ACCOUNT_FIELD_NAMES,
  CONNECTION_FIELD_NAMES,
  moveAccount,
  pick,
  readAccountDetails,
  retrieveAccount,
  updateAccount,
} from "@strongroom/contract";
import type { Account, InputOf, Problem, Safe, SafePermission } from "@strongroom/contract";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import type { TestApp } from "#testing/test-app.ts";

export type Edit = NonNullable<InputOf<typeof updateAccount>["body"]>;
type Which = Pick<Account, "id">;

/** An edit that changes only these fields and keeps all others. */
function editOf(account: Account, fields: Partial<Edit> = {}): Edit {
  const { name, username, hostname_ip: hostname, platform_id } = account;
  const listed = pick(account, [...ACCOUNT_FIELD_NAMES, ...CONNECTION_FIELD_NAMES]);
  return { name, username, hostname, platform_id, ...listed, ...fields };
}

export const actingOn = (app: TestApp) => ({
  update: (who: TestPerson, account: Account, fields: Partial<Edit>) =>
    app.call(updateAccount, { params: { id: account.id }, body: editOf(account, fields), as: who.token }),
  details: (who: TestPerson, { id }: Which) => app.call(readAccountDetails, { params: { id }, as: who.token }),
  retrieve: (who: TestPerson, { id }: Which) => app.call(retrieveAccount, { params: { id }, body: {}, as: who.token }),
  /** Moves an account and confirms all users who gain access. */
  async move(who: TestPerson, { id }: Which, { id: safe_id }: Pick<Safe, "id">) {
    const send = (confirmation?: string) =>
      app.call(moveAccount, { params: { id }, body: { safe_id, confirmation }, as: who.token });
    const reply = await send();
    const asked = (reply.body as unknown as Partial<Problem>).people_gaining_access;
    return asked === undefined ? reply : send(asked.confirmation);
  },

  /** Creates a user with these permissions in the safe. */
  async aMemberWith(owner: TestPerson, safe: Pick<Safe, "id">, permissions: SafePermission[]): Promise<TestPerson> {
    const person = await aPerson(app);
    await aMember(app, owner, safe, person, permissions);
    return person;
  },

  /** The details of this account's successful audit entries for this event, oldest first. */
  async detailsOf(id: string, event: string) {
    const { rows } = await app.database.pool.query(
      `select convert_from(canonical, 'UTF8')::jsonb -> 'details' as details from audit_entries
       where target_type = 'account' and target_id = $1 and event = $2 and result = 'success' order by id`,
      [id, event],
    );
    return rows.map(({ details }) => details);
  },
});
