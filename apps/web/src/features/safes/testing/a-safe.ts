// Test factories for safes, members and effective access, as the server returns them.
import type { EffectiveAccess, Safe, SafeMember } from "@strongroom/contract";
import { SAFE_PERMISSIONS } from "@strongroom/contract";
import { TEST_USER } from "#app/testing/sign-in.ts";

const AT = "2026-11-20T10:00:00.000Z";
let count = 0;
/** Each call returns a new id. */
const anId = (): string => `44444444-4444-4444-8444-${String((count += 1)).padStart(12, "0")}`;

export function aSafe(given: Partial<Safe> = {}): Safe {
  return {
    id: anId() as Safe["id"],
    name: "Production servers",
    description: "Root accounts of the shop",
    safe_type: "standard",
    access_level: "private",
    status: "active",
    session_zone: null,
    tags: [],
    owner_id: TEST_USER.id as Safe["owner_id"],
    owner_name: TEST_USER.name,
    owner_email: TEST_USER.email,
    members: [{ user_id: TEST_USER.id as Safe["owner_id"], group_id: null }],
    account_count: 0,
    permission_count: 1,
    my_permissions: [...SAFE_PERMISSIONS],
    created_at: AT,
    updated_at: AT,
    ...given,
  };
}

export function aMember(given: Partial<SafeMember> = {}): SafeMember {
  return {
    id: anId() as SafeMember["id"],
    user_id: anId() as NonNullable<SafeMember["user_id"]>,
    group_id: null,
    name: "Ben",
    email: "ben@example.test",
    people: null,
    role: "user",
    permissions: ["list", "use", "retrieve"],
    expires_at: null,
    is_expired: false,
    added_at: AT,
    added_by: "Dana Test",
    ...given,
  };
}

export function anAccess(given: Partial<EffectiveAccess> = {}): EffectiveAccess {
  return {
    user_id: anId() as EffectiveAccess["user_id"],
    name: "Ben",
    email: "ben@example.test",
    can_use: true,
    can_retrieve: true,
    paths: [{ kind: "group", through: "Operators", can: ["use", "retrieve"], needs_approval: false, expires_at: null }],
    account_id: null,
    ...given,
  };
}
