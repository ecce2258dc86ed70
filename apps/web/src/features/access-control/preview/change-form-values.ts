// Values of the change preview form: the fields each kind of change requires, and the change built from them.
import type { AccessLevel, GroupKind, Platform, Role, SafeRole, SafeStatus } from "@strongroom/contract";
import type { ProposedChange } from "#shared/access-preview/change-preview.tsx";

export const CHANGE_KINDS = [
  "member-added",
  "member-updated",
  "member-removed",
  "group-member-added",
  "group-member-removed",
  "group-kind-changed",
  "group-deleted",
  "safe-changed",
  "role-changed",
  "person-disabled",
  "platform-approvals",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const KIND_LABELS: Record<ChangeKind, string> = {
  "member-added": "Add a member to a safe",
  "member-updated": "Change a member's role in a safe",
  "member-removed": "Remove a member from a safe",
  "group-member-added": "Add a person to a group",
  "group-member-removed": "Remove a person from a group",
  "group-kind-changed": "Change a group's kind",
  "group-deleted": "Delete a group",
  "safe-changed": "Change a safe's access level or status",
  "role-changed": "Change a person's role",
  "person-disabled": "Disable a person",
  "platform-approvals": "Change a platform's approvals",
};

/** Users can preview only the changes they may make. */
export const kindsFor = (isAdmin: boolean): readonly ChangeKind[] =>
  CHANGE_KINDS.filter((kind) => isAdmin || kind.startsWith("member-") || kind === "safe-changed");

export type Field =
  | "safe"
  | "who"
  | "member"
  | "safeRole"
  | "safeState"
  | "group"
  | "groupKind"
  | "person"
  | "role"
  | "platform"
  | "approvals";

export const FIELDS: Record<ChangeKind, readonly Field[]> = {
  "member-added": ["safe", "who", "safeRole"],
  "member-updated": ["safe", "member", "safeRole"],
  "member-removed": ["safe", "member"],
  "group-member-added": ["group", "person"],
  "group-member-removed": ["group", "person"],
  "group-kind-changed": ["group", "groupKind"],
  "group-deleted": ["group"],
  "safe-changed": ["safe", "safeState"],
  "role-changed": ["person", "role"],
  "person-disabled": ["person"],
  "platform-approvals": ["platform", "approvals"],
};

/** Ids of the selected entries; an empty string means not selected. `who` is `user:…` or `group:…`. */
export interface ChangeValues {
  safe: string;
  who: string;
  member: string;
  safeRole: Exclude<SafeRole, "custom">;
  /** Null leaves the value unchanged. */
  level: AccessLevel | null;
  status: SafeStatus | null;
  group: string;
  groupKind: GroupKind;
  person: string;
  role: Role;
  platform: string;
  level1: number;
  level2: number;
}

export const EMPTY_CHANGE: ChangeValues = {
  safe: "",
  who: "",
  member: "",
  safeRole: "user",
  level: null,
  status: null,
  group: "",
  groupKind: "team",
  person: "",
  role: "manager",
  platform: "",
  level1: 1,
  level2: 0,
};

/** Selects a platform and starts from its approval levels. */
export const withPlatform = (values: ChangeValues, platform: Platform | undefined): ChangeValues => ({
  ...values,
  platform: platform?.id ?? "",
  level1: platform?.approvals_level_1 ?? values.level1,
  level2: platform?.approvals_level_2 ?? values.level2,
});

const safeChange = (id: string, { level, status }: ChangeValues): ProposedChange | null =>
  level === null && status === null
    ? null
    : {
        kind: "safe-changed",
        safe_id: id,
        ...(level === null ? {} : { access_level: level }),
        ...(status === null ? {} : { status }),
      };

/** Returns null while a required field is empty. */
export function changeOf(kind: ChangeKind, values: ChangeValues): ProposedChange | null {
  const { safe, who, member, safeRole: role, group, person, platform, level1, level2 } = values;
  const chosen: Partial<Record<Field, string>> = { safe, who, member, group, person, platform };
  if (FIELDS[kind].some((field) => chosen[field] === "")) return null;
  const [principal, id = ""] = who.split(":");
  switch (kind) {
    case "member-added": {
      const member = { ...(principal === "group" ? { group_id: id } : { user_id: id }), role };
      return { kind, safe_id: safe, member };
    }
    case "member-updated":
      return { kind, safe_id: safe, member_id: member, member: { role } };
    case "member-removed":
      return { kind, safe_id: safe, member_id: member };
    case "group-member-added":
    case "group-member-removed":
      return { kind, group_id: group, user_id: person };
    case "group-kind-changed":
      return { kind, group_id: group, group_kind: values.groupKind };
    case "safe-changed":
      return safeChange(safe, values);
    case "person-disabled":
      return { kind, user_id: person };
    case "group-deleted":
      return { kind, group_id: group };
    case "role-changed":
      return { kind, user_id: person, role: values.role };
    case "platform-approvals":
      return { kind, platform_id: platform, approvals_level_1: level1, approvals_level_2: level1 === 0 ? 0 : level2 };
  }
}
