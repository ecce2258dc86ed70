// The audit entries of one safe and its members, for users who may view them.
import { useInfiniteQuery } from "@tanstack/react-query";
import { AuditHistory } from "#shared/audit/audit-history.tsx";
import { safeHistory } from "../safes.queries.ts";

export function SafeHistory({ id }: { id: string }) {
  return <AuditHistory of={useInfiniteQuery(safeHistory(id))} />;
}
