// Tests that the contract has every call of the specification, with its method, path, input and reply fields.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
import { endpoints } from "./all.ts";
import type { Endpoint } from "./endpoint.ts";
import { VALIDATION_STATUSES } from "./verification-status.ts";

interface Row {
  says: string;
  /** Method and path. */
  call: string;
  query?: Record<string, unknown>;
  /** A body that the call accepts; null when it needs none. */
  body?: Record<string, unknown> | null;
  /** Fields of the reply, or the type of a stream. */
  replies?: string[] | string;
}

const ID = "01a208bf-da68-7b5f-b38c-29f3a05542ef";
const ACCOUNT = {
  name: "root on app-1",
  hostname: "app-1",
  username: "root",
  password: "p",
  platform_id: ID,
  safe_id: ID,
  system_type: "Linux",
  connection_method: "SSH",
};

const TARGET = {
  name: "web-01",
  targetType: "linux",
  hostname: "web-01.internal",
  connectionMethod: "ssh",
  credentialId: ID,
  description: null,
  settings: { port: 22, timeout: 30_000 },
};

const ROWS: Row[] = [
  { says: "API-23 (rotation due)", call: "GET /api/v1/accounts", query: { status: "rotation_due" }, replies: ["data"] },
  { says: "API-23 (active)", call: "GET /api/v1/accounts", query: { status: "active" } },
  { says: "API-24", call: "GET /api/v1/accounts/statistics", replies: ["total", "active", "requiring_rotation", "validation_valid", "validation_invalid"] },
  { says: "API-25", call: "POST /api/v1/accounts/:id/rotate", body: null },
  { says: "API-26", call: "DELETE /api/v1/accounts/:id" },
  { says: "API-27", call: "GET /api/v1/accounts/:id", replies: ["id", "password"] },
  { says: "API-28, OPEN-84", call: "POST /api/v1/accounts", body: ACCOUNT },
  { says: "API-29, OPEN-84", call: "POST /api/v1/accounts/:id/validate", body: null, replies: ["success", "validation_status", "validation_timestamp", "validation_message"] },
  { says: "API-30, OPEN-84", call: "GET /api/v1/accounts/:id/validation-history", replies: ["history"] },
  { says: "API-31, OPEN-84", call: "GET /api/v1/safes", replies: ["safes"] },
  { says: "API-32, OPEN-84", call: "GET /api/v1/safes/statistics", replies: ["total", "active", "shared"] },
  { says: "API-33, OPEN-84", call: "POST /api/v1/safes", body: { name: "Web", safe_type: "standard", access_level: "private" } },
  { says: "API-34, OPEN-84", call: "PUT /api/v1/safes/:id", body: { name: "Web", description: "All of it" } },
  { says: "API-35, OPEN-84", call: "DELETE /api/v1/safes/:id", query: {} },
  ...["pending", "active", "history", "all"].map((status) => ({ says: `API-38 (${status})`, call: "GET /api/v1/jit", query: { status } })),
  { says: "API-38 (no filter)", call: "GET /api/v1/jit", query: {} },
  { says: "API-39", call: "GET /api/v1/jit/admin/statistics", replies: ["total", "active"] },
  { says: "API-40", call: "POST /api/v1/jit", body: { resource: "db-1", reason: "Fix the index", durationMinutes: 60 } },
  { says: "API-40 (system)", call: "POST /api/v1/jit", body: { resource: "db-1", system: "Oracle", reason: "Fix the index", durationMinutes: 60 } },
  ...["approve", "deny", "revoke"].map((act) => ({ says: `API-41 (${act})`, call: `POST /api/v1/jit/:id/${act}`, body: null })),
  { says: "API-42", call: "POST /api/v1/jit/:id/extend", body: { extensionMinutes: 30 } },
  { says: "API-45", call: "GET /api/v1/discovery/targets", replies: ["data"] },
  { says: "API-46", call: "POST /api/v1/discovery/targets", body: { ...TARGET, safeId: ID } },
  { says: "API-47, DISC-14", call: "GET /api/v1/discovery/targets/:id", replies: ["id", "name", "description", "target_type", "hostname", "connection_method", "credential_id", "settings"] },
  { says: "API-47 (update)", call: "PUT /api/v1/discovery/targets/:id", body: { ...TARGET, isActive: true, schedule: null } },
  { says: "API-47 (delete)", call: "DELETE /api/v1/discovery/targets/:id" },
  { says: "API-48", call: "GET /api/v1/discovery/scans", query: { targetId: ID, limit: "50", offset: "0" }, replies: ["data"] },
  { says: "API-49", call: "POST /api/v1/discovery/targets/:id/scan", body: { scanSettings: { includeSystemAccounts: true, timeout: 60_000, maxAccounts: 10 } } },
  { says: "API-50, SCAN-03", call: "GET /api/v1/discovery/scans/:id", replies: ["id", "target_id", "status", "started_at", "completed_at", "discovery_targets", "metadata", "settings"] },
  { says: "API-51", call: "POST /api/v1/discovery/scans/:id/cancel", body: null },
  { says: "API-52", call: "GET /api/v1/discovery/accounts", query: { scanId: ID }, replies: ["data"] },
  { says: "API-53, DISC-38", call: "POST /api/v1/discovery/accounts/approve", body: { accountIds: [ID], onboardingSettings: { rotationPolicy: "30days", monitoring: true, autoRotate: false } } },
  { says: "API-54, DISC-40", call: "POST /api/v1/discovery/accounts/reject", body: { accountIds: [ID], reason: "Not ours" } },
  { says: "API-55", call: "GET /api/v1/discovery/statistics", query: { range: "30d" }, replies: ["total_targets", "recent_activity"] },
  { says: "API-65", call: "POST /api/v1/discovery/enhanced/ip-range-scan", body: { name: "The lab", safeId: ID, ranges: ["10.0.0.0/24"] } },
  { says: "API-66", call: "GET /api/v1/discovery/enhanced/ip-range-scan", query: { status: "running" }, replies: ["data"] },
  { says: "API-67", call: "GET /api/v1/discovery/enhanced/ip-range-scan/:id", replies: ["id", "status"] },
  { says: "API-68", call: "POST /api/v1/discovery/enhanced/ip-range-scan/:id/cancel", body: null },
  { says: "API-69", call: "POST /api/v1/discovery/enhanced/cloud-discovery", body: { targetId: ID, regions: ["eu-central-1"] } },
  { says: "API-70", call: "GET /api/v1/discovery/enhanced/cloud-resources", query: { provider: "aws", region: "eu-central-1" }, replies: ["data"] },
  { says: "API-71", call: "GET /api/v1/discovery/enhanced/cloud-resources/:id", replies: ["id", "provider", "region", "kind", "name"] },
  { says: "API-81", call: "GET /api/v1/validation/dashboard", replies: ["validation_statistics"] },
  { says: "API-82", call: "GET /api/v1/validation/dashboard", replies: ["jit_health"] },
  { says: "API-83", call: "GET /api/v1/validation/system-health", replies: ["systems"] },
  { says: "API-85", call: "POST /api/v1/validation/report" },
  { says: "API-87", call: "GET /api/v1/validation/jit-sessions", query: { status: "active", has_validation_issues: "false" }, replies: ["sessions"] },
  { says: "API-91", call: "GET /api/v1/audit/logs", query: { limit: "10000", offset: "0" } },
  { says: "API-92", call: "GET /api/v1/validation/attempts", query: { limit: "10" } },
  { says: "API-94", call: "GET /api/v1/events", replies: "text/event-stream" },
  { says: "API-96", call: "POST /api/v1/validation/trigger", body: { accountIds: [ID], force: true } },
  { says: "API-56, FIND-08", call: "GET /api/v1/discovery/enhanced/findings", query: { severity: "high,low", findingType: "ssh_key", status: "new", minRiskScore: "10", maxRiskScore: "90", limit: "100", offset: "0" }, replies: ["data", "total"] },
  { says: "API-57, FIND-06", call: "GET /api/v1/discovery/enhanced/findings/:id", replies: ["id", "title", "description", "finding_type", "severity", "status", "risk_score", "auto_vaulted", "created_at", "finding_data", "remediation_steps", "compliance_impact"] },
  { says: "API-58, FIND-07, FIND-09", call: "PATCH /api/v1/discovery/enhanced/findings/:id/status", body: { status: "false_positive", reason: "Test data" } },
  { says: "API-59, FIND-13", call: "POST /api/v1/discovery/enhanced/findings/vault", body: { findingIds: [ID], vaultSettings: { rotationPolicy: "30days", monitoring: true, autoRotate: false, accessLevel: "high" } } },
  { says: "API-60", call: "POST /api/v1/discovery/enhanced/findings/export", body: { format: "excel", filters: { severity: ["high"], findingType: [], status: ["new"] }, includeRemediation: true, includeCompliance: true }, replies: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
  { says: "API-61, SCAN-30", call: "POST /api/v1/discovery/enhanced/targets/:id/enhanced-scan", body: { scanConfig: { scanType: "security_audit" }, complianceFrameworks: ["sox"], autoVault: false } },
  { says: "API-62", call: "GET /api/v1/discovery/enhanced/scans", query: { targetId: ID, limit: "50", offset: "0" }, replies: ["data"] },
  { says: "API-63, SCAN-29", call: "GET /api/v1/discovery/enhanced/scans/:id", replies: ["id", "target_id", "scan_type", "status", "progress", "started_at", "completed_at", "duration_seconds", "error_message", "results", "scan_config", "findings"] },
  { says: "API-64 (list)", call: "GET /api/v1/discovery/enhanced/scan-configs" },
  { says: "API-64 (create)", call: "POST /api/v1/discovery/enhanced/scan-configs", body: { name: "Nightly", scanConfig: {} } },
  { says: "API-64 (read)", call: "GET /api/v1/discovery/enhanced/scan-configs/:id" },
  { says: "API-64 (update)", call: "PUT /api/v1/discovery/enhanced/scan-configs/:id" },
  { says: "API-64 (delete)", call: "DELETE /api/v1/discovery/enhanced/scan-configs/:id" },
  { says: "API-72", call: "GET /api/v1/discovery/enhanced/risk-assessment", query: { targetId: ID, timeframe: "30d" }, replies: ["data"] },
  { says: "API-73", call: "POST /api/v1/discovery/enhanced/risk-assessment/generate", body: { targetIds: [ID], options: { timeframe: "30d" } } },
  { says: "API-74", call: "POST /api/v1/discovery/enhanced/reports/generate", body: { reportType: "risk_assessment", targetIds: [ID], timeframe: "30d", format: "pdf", includeRemediation: true } },
  { says: "API-75", call: "GET /api/v1/discovery/enhanced/reports", replies: ["data"] },
  { says: "API-76", call: "GET /api/v1/discovery/enhanced/reports/:id", replies: ["id", "status"] },
  { says: "API-77, REPORT-05", call: "GET /api/v1/discovery/enhanced/reports/:id/download", query: { format: "pdf" } },
  { says: "API-79", call: "GET /api/v1/discovery/enhanced/compliance-status", query: { frameworks: "sox,pci_dss" }, replies: ["data"] },
  { says: "API-80", call: "GET /api/v1/discovery/enhanced/trends", query: { metric: "risk_score", days: "30" } },
  { says: "API-78", call: "GET /api/v1/discovery/enhanced/statistics", query: { timeframe: "30d" } },
]; // prettier-ignore

const byCall = new Map<string, Endpoint>(
  endpoints.map(({ endpoint }) => [`${endpoint.method} ${endpoint.path}`, endpoint]),
);

for (const { says, call, query, body, replies } of ROWS) {
  test(`${says}: ${call}`, () => {
    const endpoint = byCall.get(call);
    assert.ok(endpoint !== undefined, "the call exists");
    if (query !== undefined && endpoint.query !== undefined) {
      assert.equal(endpoint.query.safeParse(query).error, undefined);
      const names = Object.keys((endpoint.query as z.ZodObject).shape ?? {});
      if (names.length > 0)
        assert.deepEqual(
          Object.keys(query).filter((name) => !names.includes(name)),
          [],
        );
    }
    if (body === null) assert.equal(endpoint.body?.safeParse(undefined).error, undefined);
    if (body !== undefined && body !== null) assert.equal(endpoint.body?.safeParse(body).error, undefined);
    if (typeof replies === "string") assert.deepEqual(endpoint.reply, { stream: replies });
    if (Array.isArray(replies)) {
      const fields = Object.keys((endpoint.reply as z.ZodObject).shape);
      assert.deepEqual(
        replies.filter((name) => !fields.includes(name)),
        [],
      );
    }
  });
}

test("VAL-52: a validation status is verified, pending, never validated, or one of the failures of decision 0034", () => {
  const failures = ["rejected", "unreachable", "misconfigured"];
  assert.deepEqual(VALIDATION_STATUSES, ["verified", "pending", ...failures, "never_validated"]);
});

test("API-42: an extension defaults to 60 minutes", () => {
  const { body } = byCall.get("POST /api/v1/jit/:id/extend")!;
  assert.deepEqual(body?.parse({}), { extensionMinutes: 60 });
});
