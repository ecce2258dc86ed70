// Reads who fixes the items of a remediation plan, until when and how.
import { sql } from "kysely";
import { remediationSteps } from "#features/findings/index.ts";
import type { Db } from "#kernel/db/database.ts";

export interface FixDetails {
  owner: string | null;
  due_at: Date | null;
  steps: string[];
}

type FindingDetailsRow = Parameters<typeof remediationSteps>[0] & {
  id: string;
  owner: string | null;
  due_at: Date | null;
};

/** By the id of the item. INVARIANT: the ids come from lists that the user can see. */
export async function readFixDetails(db: Db, ids: readonly string[]): Promise<Map<string, FixDetails>> {
  const [findings, secrets] = await Promise.all([
    sql<FindingDetailsRow>`
      select finding.id, assignee.name as owner, finding.due_at, finding.class, finding.detector, finding.path,
        finding.file_owner, finding.file_mode, finding.key_name, finding.username
      from findings finding left join users assignee on assignee.id = finding.assignee_id
      where finding.id = any(${ids}::uuid[])`.execute(db),
    sql<{ id: string; owner: string }>`
      select credentials.id, owner.name as owner from credentials
      join safes on safes.id = credentials.safe_id join users owner on owner.id = safes.owner_id
      where credentials.id = any(${ids}::uuid[])`.execute(db),
  ]);
  return new Map([
    ...findings.rows.map((row) => {
      const { id, owner, due_at } = row;
      return [id, { owner, due_at, steps: remediationSteps(row) }] as const;
    }),
    ...secrets.rows.map(({ id, owner }) => [id, { owner, due_at: null, steps: [] as string[] }] as const),
  ]);
}
