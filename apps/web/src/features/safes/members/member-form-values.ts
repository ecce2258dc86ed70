// Values, validation and payload of the membership form.
import {
  PERMISSIONS_OF_ROLE,
  SAFE_PERMISSIONS,
  type InputOf,
  type SafeMember,
  type SafePermission,
  type SafeRole,
  type addSafeMember,
  type updateSafeMember,
} from "@strongroom/contract";
import type { Found } from "#shared/ui/search-select.tsx";
import { groupIdOf } from "./principal-value.ts";

export interface MemberFormValues {
  /** Null until a user or group is chosen. */
  who: Found | null;
  role: SafeRole;
  permissions: readonly SafePermission[];
  /** The value of a datetime-local input, in the local time zone; empty means no expiry. */
  expires: string;
}

export const EMPTY_MEMBER: MemberFormValues = {
  who: null,
  role: "user",
  permissions: PERMISSIONS_OF_ROLE.user,
  expires: "",
};

const two = (part: number): string => String(part).padStart(2, "0");

/** Formats a moment for a datetime-local input, to the minute. */
export function localTimeOf(moment: string | number): string {
  const at = new Date(moment);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

export const formOf = ({ user_id, group_id, name, role, permissions, expires_at }: SafeMember): MemberFormValues => ({
  who: { value: user_id ?? group_id ?? "", label: name },
  role,
  permissions,
  expires: expires_at === null ? "" : localTimeOf(expires_at),
});

/** Applies a preset role and its permissions; `custom` keeps the current permissions. */
export const withRole = (values: MemberFormValues, role: SafeRole): MemberFormValues => ({
  ...values,
  role,
  permissions: role === "custom" ? values.permissions : PERMISSIONS_OF_ROLE[role],
});

/** Adds or removes one permission, which makes the role custom. */
export function withPermission(
  values: MemberFormValues,
  permission: SafePermission,
  isGiven: boolean,
): MemberFormValues {
  const chosen = new Set<SafePermission>(["list", ...values.permissions]);
  if (isGiven) chosen.add(permission);
  else if (permission !== "list") chosen.delete(permission);
  return { ...values, role: "custom", permissions: SAFE_PERMISSIONS.filter((each) => chosen.has(each)) };
}

export type MemberFormErrors = Partial<Record<keyof MemberFormValues, string>>;

/** `now` in milliseconds since 1970. An empty result means the form is valid. */
export function checkMember({ who, permissions, expires }: MemberFormValues, now: number): MemberFormErrors {
  return {
    ...(who === null ? { who: "Choose a user or a group" } : {}),
    ...(permissions.length === 0 ? { permissions: "Choose at least one permission" } : {}),
    ...(expires !== "" && new Date(expires).getTime() <= now ? { expires: "The expiry must be in the future" } : {}),
  };
}

type Edit = NonNullable<InputOf<typeof updateSafeMember>["body"]>;
type New = NonNullable<InputOf<typeof addSafeMember>["body"]>;

export const editPayloadOf = ({ role, permissions, expires }: MemberFormValues): Edit => ({
  role,
  ...(role === "custom" ? { permissions: [...permissions] } : {}),
  expires_at: expires === "" ? null : new Date(expires).toISOString(),
});

export function newPayloadOf(values: MemberFormValues): New {
  const chosen = values.who?.value ?? "";
  const groupId = groupIdOf(chosen);
  return {
    ...(groupId === null ? { user_id: chosen } : { group_id: groupId }),
    ...editPayloadOf(values),
  };
}

/**
 * The permissions that the caller may grant: only permissions they have in this safe, unless they are an administrator.
 * Permissions that the member already has may stay.
 */
export function grantablePermissions(
  caller: { isAdmin: boolean; permissions: readonly SafePermission[] },
  had: readonly SafePermission[] = [],
): ReadonlySet<SafePermission> {
  return new Set(caller.isAdmin ? SAFE_PERMISSIONS : [...caller.permissions, ...had]);
}

export const isRoleGrantable = (role: SafeRole, may: ReadonlySet<SafePermission>): boolean =>
  role === "custom" || PERMISSIONS_OF_ROLE[role].every((permission) => may.has(permission));
