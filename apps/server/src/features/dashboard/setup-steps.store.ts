// The state of the installation that the setup checklist is computed from, and the dismissed steps.
import type { SetupStep } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface SetupState {
  /** The caller has a second factor. */
  has_factor: boolean;
  is_sign_up_open: boolean;
  /** Active persons, the caller included, and open invitations. */
  has_people: boolean;
  has_safe: boolean;
  has_account: boolean;
  has_verified: boolean;
  has_provider: boolean;
  dismissed: SetupStep["id"][];
}

export async function readSetupState(db: Db, userId: string): Promise<SetupState> {
  const { rows } = await sql<SetupState>`
    select
      exists (select from factors where user_id = ${userId}) as has_factor,
      coalesce((select sign_up = 'open' from sign_in_policy), false) as is_sign_up_open,
      (select count(*) > 1 from (
        select from users where kind = 'person' and status <> 'disabled' limit 2) person) as has_people,
      exists (select from safes where deleted_at is null) as has_safe,
      exists (select from credentials where safe_id is not null and deleted_at is null) as has_account,
      exists (select from credentials
        where safe_id is not null and deleted_at is null and verified_at is not null) as has_verified,
      exists (select from identity_providers where is_enabled) as has_provider,
      array(select step from setup_steps_dismissed) as dismissed`.execute(db);
  return rows[0]!;
}

export async function writeDismissed(
  tx: Tx,
  steps: readonly SetupStep["id"][],
  isDismissed: boolean,
  at: Date,
): Promise<void> {
  if (isDismissed) {
    await sql`insert into setup_steps_dismissed (step, at)
      select step, ${at} from unnest(${[...steps]}::text[]) step on conflict do nothing`.execute(tx);
  } else {
    await sql`delete from setup_steps_dismissed where step = any(${[...steps]}::text[])`.execute(tx);
  }
}
