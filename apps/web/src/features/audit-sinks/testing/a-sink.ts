// A sink and a watched log as the server returns them, for tests.
import type { AuditSink, WitnessedLog } from "@strongroom/contract";

const AT = "2026-11-20T10:00:00.000Z";
let count = 0;

/** Each call returns a sink with a new id. */
export function aSink(given: Partial<AuditSink> = {}, status: Partial<AuditSink["status"]> = {}): AuditSink {
  return {
    id: `77777777-7777-4777-8777-${String((count += 1)).padStart(12, "0")}` as AuditSink["id"],
    name: "Company SIEM",
    content: "entries",
    format: "rfc5424",
    every_seconds: 60,
    config: {
      kind: "syslog",
      host: "siem.example.com",
      port: 6514,
      transport: "tls",
      ca: null,
      server_name: null,
      client_certificate: null,
    },
    has_hmac_key: false,
    has_authorization: false,
    has_client_key: false,
    is_enabled: true,
    status: {
      state: "current",
      cursor: 1204,
      behind_entries: 0,
      behind_seconds: 0,
      delivered: 1204,
      last_success_at: AT,
      last_error: null,
      last_error_at: null,
      next_attempt_at: null,
      ...status,
    },
    cosigned_checkpoint: null,
    created_at: AT,
    updated_at: AT,
    ...given,
  };
}

export function aWatchedLog(given: Partial<WitnessedLog> = {}): WitnessedLog {
  return {
    id: `66666666-6666-4666-8666-${String((count += 1)).padStart(12, "0")}` as WitnessedLog["id"],
    name: "Head office",
    origin: "strongroom/audit/head-office",
    verifier_key: "strongroom/audit/head-office+00000000+AAAA",
    size: 40,
    checkpoint: "strongroom/audit/head-office\n40\n…\n",
    cosigned_at: AT,
    contradiction: null,
    ...given,
  };
}
