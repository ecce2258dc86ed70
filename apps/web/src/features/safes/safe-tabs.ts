// Which tabs a safe's page has for the caller, and which one the address chooses.
import type { Safe } from "@strongroom/contract";
import type { PageTab } from "#shared/ui/page-tabs.tsx";
import { may } from "./safe-words.ts";

export type SafeTab = "accounts" | "members" | "access" | "audit";
type Shown = Pick<Safe, "my_permissions" | "account_count" | "permission_count">;

/** Who has access is for those who manage the members or view the audit; the trail for the latter. */
export function tabsFor(safe: Shown): PageTab<SafeTab>[] {
  const seesAccess = may(safe, "manage_members") || may(safe, "view_audit");
  return [
    { value: "accounts", label: "Accounts", count: safe.account_count },
    { value: "members", label: "Members", count: safe.permission_count },
    ...(seesAccess ? [{ value: "access" as const, label: "Access", count: undefined }] : []),
    ...(may(safe, "view_audit") ? [{ value: "audit" as const, label: "Audit", count: undefined }] : []),
  ];
}

/** The accounts when the address names none that the caller has. */
export const tabFor = (safe: Shown, params: URLSearchParams): SafeTab =>
  tabsFor(safe).find(({ value }) => value === params.get("tab"))?.value ?? "accounts";
