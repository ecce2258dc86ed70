// Audits changes that identity providers make to users.
import type { UsersTable } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";

export const aUser = ({ id, email }: Pick<UsersTable, "id" | "email">) => ({ type: "user", id, name: email });

export async function record(at: Date, tx: Tx, event: string, note: AuditNote): Promise<void> {
  await appendAudit(tx, [systemEntry(event, "identity provider", note, at)]);
}
