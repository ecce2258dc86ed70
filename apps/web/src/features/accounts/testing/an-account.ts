// Test factories for accounts and related objects, as the server returns them.
import { randomUUID } from "node:crypto";
import type { Account, Platform, Safe, ValidationHistoryEntry } from "@strongroom/contract";
import { ACCOUNT_DETAIL_NAMES, SAFE_PERMISSIONS, recordOf } from "@strongroom/contract";
import { TEST_USER } from "#app/testing/sign-in.ts";

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

export function aSafe(given: Partial<Safe> = {}): Safe {
  return {
    id: TEST_SAFE,
    name: "Web servers",
    description: null,
    safe_type: "standard",
    access_level: "private",
    status: "active",
    owner_id: TEST_USER.id as Safe["owner_id"],
    owner_name: TEST_USER.name,
    owner_email: TEST_USER.email,
    members: [],
    account_count: 0,
    permission_count: 1,
    my_permissions: [...SAFE_PERMISSIONS],
    created_at: "2026-11-01T08:00:00.000Z",
    updated_at: "2026-11-01T08:00:00.000Z",
    ...given,
  };
}

export function aPlatform(given: Partial<Platform> = {}): Platform {
  return {
    id: TEST_PLATFORM,
    name: "Linux servers",
    description: null,
    system_type: "Linux",
    connection_method: "SSH",
    is_active: true,
    verify_every_hours: 24,
    rotate_every_days: null,
    rotate_automatically: true,
    rotation_window: null,
    rotation_jitter_minutes: 60,
    rotate_as: "account",
    rotation_notice_days: 7,
    password_rules: {
      length: 24,
      max_length: 128,
      min_lowercase: 1,
      min_uppercase: 1,
      min_digits: 1,
      min_symbols: 0,
      symbols: "-_.",
      forbidden_characters: "",
      begins_with_letter: true,
      history: 5,
    },
    reconcile_account_id: null,
    reconcile_hosts: [],
    reconcile_safe_ids: [],
    exclusive_check_out: false,
    access_until_rotated: "blocked",
    rotate_after_check_in: false,
    one_time_password: false,
    approvals_level_1: 0,
    approvals_level_2: 0,
    approve_extensions: false,
    reason_required: false,
    ticket_required: false,
    default_duration_minutes: 60,
    max_duration_minutes: 480,
    session_recording_required: false,
    reconcile_readiness: null,
    account_count: 1,
    created_at: "2026-11-01T08:00:00.000Z",
    updated_at: "2026-11-01T08:00:00.000Z",
    ...given,
  };
}

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
