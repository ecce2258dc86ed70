// Labels of safes and their parts.
import type { AccessLevel, Safe, SafePermission, SafeStatus, SafeType } from "@strongroom/contract";
import type { Status } from "#shared/ui/status-badge.tsx";

export const TYPE_LABELS: Record<SafeType, string> = {
  standard: "Standard",
  shared: "Shared",
  department: "Department",
  application: "Application",
};

export const ACCESS_LABELS: Record<AccessLevel, string> = {
  private: "Private",
  team: "Team",
  department: "Department",
  public: "Public",
};

/** Hints about who sees the safe besides its members. No access level allows use or retrieval. */
export const ACCESS_HINTS: Record<AccessLevel, string> = {
  private: "Only members can see this safe.",
  team: "People in the same team as the owner can also see it and request access.",
  department: "People in the same department as the owner can also see it and request access.",
  public: "Everyone can see it and request access.",
};

export const STATUS_BADGES: Record<SafeStatus, { label: string; status: Status }> = {
  active: { label: "Active", status: "active" },
  inactive: { label: "Inactive", status: "inactive" },
  archived: { label: "Archived", status: "inactive" },
};

export const STATUS_HINTS: Record<SafeStatus, string> = {
  active: "Its accounts can be used and requested.",
  inactive: "Its contents are kept, but no one can access its accounts until it is active again.",
  archived: "Its contents are kept for the record, but no one can access its accounts.",
};

export const may = (safe: Pick<Safe, "my_permissions">, permission: SafePermission): boolean =>
  safe.my_permissions.includes(permission);

/**
 * Whether the caller may move all accounts out of the safe, which requires permission to retrieve them without
 * approval. For an inactive safe only the server can decide that.
 */
export const mayEmpty = (safe: Pick<Safe, "my_permissions" | "status">): boolean =>
  may(safe, "delete") &&
  (safe.status !== "active" || (may(safe, "retrieve") && may(safe, "access_without_confirmation")));
