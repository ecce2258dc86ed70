// Test factories for accounts and related objects, as the server returns them.
import { randomUUID } from "node:crypto";
import type { Account, Platform, Safe, ValidationHistoryEntry } from "@strongroom/contract";
import { ACCOUNT_DETAIL_NAMES, SAFE_PERMISSIONS, recordOf } from "@strongroom/contract";
import { TEST_USER } from "#app/testing/sign-in.ts";
import { aPlatform as anotherPlatform } from "#features/platforms/testing/a-platform.ts";
import { aSafe as anotherSafe } from "#features/safes/testing/a-safe.ts";

export const TEST_PLATFORM = "55555555-5555-4555-8555-555555555555" as Platform["id"];
export const TEST_SAFE = "66666666-6666-4666-8666-666666666666" as Safe["id"];

export function anAccount(given: Partial<Account> = {}): Account {
  return {
    id: randomUUID() as Account["id"],
    name: "root on web1",
    username: "root",
    hostname_ip: "web1.internal",
    port: 22,
    system_type: "Linux",
    connection_method: "SSH",
    ...recordOf(ACCOUNT_DETAIL_NAMES, () => null),
    platform_id: TEST_PLATFORM,
    platform_name: "Linux servers",
    safe_id: TEST_SAFE,
    safe_name: "Web servers",
    status: "active",
    notes: null,
    tags: [],
    database_name: null,
    schema_name: null,
    connection_string: null,
    ssl_enabled: false,
    additional_params: {},
    last_validation_status: "untested",
    last_validated_at: null,
    validation_message: null,
    rotation_status: "no_policy",
    last_rotated_at: "2026-11-01T08:00:00.000Z",
    rotation_due_at: null,
    open_rotation: null,
    last_accessed: null,
    connector: { name: "Linux", is_proven: true, can_change: true, can_reconcile: true },
    check_out: null,
    access_block: null,
    host_key_alarm: null,
    my_permissions: [...SAFE_PERMISSIONS],
    needs_approval: false,
    my_grant: null,
    created_at: "2026-11-01T08:00:00.000Z",
    updated_at: "2026-11-02T08:00:00.000Z",
    ...given,
  };
}

/** The safe of `anAccount`. */
export const aSafe = (given: Partial<Safe> = {}): Safe =>
  anotherSafe({ id: TEST_SAFE, name: "Web servers", description: null, ...given });

/** The platform of `anAccount`: it requires nothing. */
export const aPlatform = (given: Partial<Platform> = {}): Platform =>
  anotherPlatform({
    id: TEST_PLATFORM,
    rotate_every_days: null,
    rotate_after_check_in: false,
    approve_extensions: false,
    reason_required: false,
    account_count: 1,
    ...given,
  });

export function aValidation(given: Partial<ValidationHistoryEntry> = {}): ValidationHistoryEntry {
  return {
    id: randomUUID(),
    validation_status: "success",
    outcome: "verified",
    validation_type: "manual",
    validated_at: new Date(Date.now() - 5 * 60_000).toISOString(),
    validated_by: TEST_USER.name,
    error_message: null,
    validation_details: {
      response_time: 120,
      endpoint: "web1.internal:22",
      connection_test: true,
      credential_test: true,
    },
    ...given,
  };
}
