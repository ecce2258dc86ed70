// Test factories for credentials and history entries, as the server returns them.
import { randomUUID } from "node:crypto";
import type { AuditLogEntry, Credential, VerifyReply } from "@strongroom/contract";
import { TEST_USER } from "#app/testing/sign-in.ts";

export function aCredential(given: Partial<Credential> = {}): Credential {
  return {
    id: randomUUID() as Credential["id"],
    user_id: TEST_USER.id as Credential["user_id"],
    name: "Orders database",
    type: "postgresql",
    username: "app_owner",
    host: "db01.internal",
    port: 5432,
    status: "pending",
    environment: "production",
    verification_status: "pending",
    verified_at: null,
    last_verification_attempt: null,
    verification_error: null,
    host_key_alarm: null,
    last_accessed: null,
    connector: { name: "PostgreSQL", is_proven: true, can_change: true, can_reconcile: true },
    database_name: "orders",
    schema_name: "public",
    connection_string: null,
    ssl_enabled: false,
    additional_params: {},
    created_at: "2026-11-01T08:00:00.000Z",
    updated_at: "2026-11-02T08:00:00.000Z",
    ...given,
  };
}

export function aHistoryEntry(given: Partial<AuditLogEntry> = {}): AuditLogEntry {
  return {
    id: randomUUID() as AuditLogEntry["id"],
    action: "Credential Verification",
    event: "credential.verified",
    result: "success",
    summary: "Orders database: logged in as app_owner",
    metadata: { duration_ms: 120 },
    user: { id: TEST_USER.id as AuditLogEntry["user"]["id"], name: TEST_USER.name, email: TEST_USER.email },
    timestamp: new Date(Date.now() - 5 * 60_000).toISOString(),
    target: null,
    leaf_index: 1,
    ...given,
  };
}

/** `rejected` by default; every message field contains the same message. */
export function aVerifyReply(given: Partial<VerifyReply["data"]> = {}): VerifyReply {
  const isVerified = given.outcome === "verified";
  const message = given.message ?? (isVerified ? "Logged in." : "The server rejected the password.");
  const error = isVerified ? null : message;
  return {
    success: isVerified,
    message,
    error,
    data: {
      success: isVerified,
      outcome: "rejected",
      code: isVerified ? null : "wrong-password",
      message,
      error,
      verification_status: isVerified ? "verified" : "rejected",
      verified_at: isVerified ? "2026-11-21T10:00:00.000Z" : null,
      attempted_at: "2026-11-21T10:00:00.000Z",
      duration_ms: 120,
      ...given,
    },
  };
}
