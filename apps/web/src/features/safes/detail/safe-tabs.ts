// The tabs of a safe's page that the caller can open, and the selected one.
import type { Safe } from "@strongroom/contract";
import type { PageTab } from "#shared/ui/page-tabs.tsx";
import { may } from "../safe-labels.ts";

export type SafeTab = "accounts" | "members" | "access" | "audit";
type Shown = Pick<Safe, "my_permissions" | "account_count" | "permission_count">;

/** Access requires `manage_members` or `view_audit`; the history requires `view_audit`. */
export function tabsFor(safe: Shown): PageTab<SafeTab>[] {
  const seesAccess = may(safe, "manage_members") || may(safe, "view_audit");
  return [
    { value: "accounts", label: "Accounts", count: safe.account_count },
    { value: "members", label: "Members", count: safe.permission_count },
    ...(seesAccess ? [{ value: "access" as const, label: "Access", count: undefined }] : []),
    ...(may(safe, "view_audit") ? [{ value: "audit" as const, label: "Audit", count: undefined }] : []),
  ];
}

/** Falls back to the accounts when the address names no available tab. */
export const tabFor = (safe: Shown, params: URLSearchParams): SafeTab =>
  tabsFor(safe).find(({ value }) => value === params.get("tab"))?.value ?? "accounts";
