// The audit entries of one account, for users who may view them.
import { useInfiniteQuery } from "@tanstack/react-query";
import { AuditHistory } from "#shared/audit/audit-history.tsx";
import { EvidenceButton } from "#shared/audit/evidence-button.tsx";
import { accountHistory } from "../accounts.queries.ts";

export function AccountHistory({ id }: { id: string }) {
  return (
    <AuditHistory
      of={useInfiniteQuery(accountHistory(id))}
      actions={<EvidenceButton about="account" id={id} name="this account" />}
    />
  );
}
