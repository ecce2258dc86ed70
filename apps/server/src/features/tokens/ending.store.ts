// Tokens that end before long, with who is to hear of it.
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
  /** The people who answer for the machine identity that holds it. */
  answering: UserId[];
}

interface Wish {
  now: Date;
  until: Date;
  /** The last id of those before; null: from the first. */
  after: string | null;
  limit: number;
}

/** By id, held until the transaction ends; those that another process is telling of are left to it. */
export async function findEnding(tx: Tx, { now, until, after, limit }: Wish): Promise<EndingToken[]> {
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

export async function noteTold(tx: Tx, id: TokenId, days: number, end: Date): Promise<void> {
  await tx.updateTable("tokens").set({ told_days: days, told_end: end }).where("id", "=", id).execute();
}
