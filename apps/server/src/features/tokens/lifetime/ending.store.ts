// Reads the tokens that expire soon, with the users to notify.
import type { TokenId, TokenPolicy, UserId, UserKind } from "@strongroom/contract";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";

export interface EndingToken extends TokenPolicy {
  id: TokenId;
  name: string;
  created_at: Date;
  expires_at: Date;
  told_days: number | null;
  told_end: Date | null;
  user_id: UserId;
  kind: UserKind;
  holder: string;
  /** The users responsible for the machine identity that holds the token. */
  answering: UserId[];
}

interface Window {
  now: Date;
  until: Date;
  /** The last id of the previous batch; null for the first batch. */
  after: string | null;
  limit: number;
}

/** Ordered by id, locked until the transaction ends. Skips tokens that another process has locked. */
export async function findEnding(tx: Tx, { now, until, after, limit }: Window): Promise<EndingToken[]> {
  const end = sql`least(token.expires_at, token.created_at + make_interval(days =>
        case person.kind when 'machine' then machine_days else person_days end))`;
  const { rows } = await sql<EndingToken>`
    select token.id, token.name, token.created_at, token.expires_at, token.told_days, token.told_end, token.user_id,
      person.kind, person.name as holder, token_policy.person_days, token_policy.machine_days,
      array(select machine.responsible_user_id from token_machines machine
              where machine.user_id = token.user_id and machine.responsible_user_id is not null
            union
            select theirs.user_id from token_machines machine
              join group_members theirs on theirs.group_id = machine.responsible_group_id
              where machine.user_id = token.user_id) as answering
    from tokens token join users person on person.id = token.user_id and person.status = 'active' cross join token_policy
    where token.revoked_at is null and (token.told_days is distinct from 1 or token.told_end is distinct from ${end})
      and token.expires_at > ${now}
      and ${end} between ${now} and ${until}
      and (${after}::uuid is null or token.id > ${after}::uuid)
    order by token.id limit ${limit} for update of token skip locked`.execute(tx);
  return rows;
}

export async function markNotified(tx: Tx, id: TokenId, days: number, end: Date): Promise<void> {
  await tx.updateTable("tokens").set({ told_days: days, told_end: end }).where("id", "=", id).execute();
}
