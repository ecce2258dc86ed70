// Test factories for access requests and requestable accounts, as the server returns them.
import { randomUUID } from "node:crypto";
import type { AccessRequest, RequestableAccount } from "@strongroom/contract";

const OLGA = "77777777-7777-4777-8777-777777777777" as AccessRequest["user_id"];

export function aRequest(given: Partial<AccessRequest> = {}): AccessRequest {
  return {
    id: randomUUID() as AccessRequest["id"],
    account_id: randomUUID() as AccessRequest["account_id"],
    resource: "root on web1",
    system: "web1.internal",
    user_id: OLGA,
    username: "Olga",
    user_email: "olga@example.test",
    business_justification: "The disk is full",
    ticket: null,
    duration_minutes: 60,
    status: "pending",
    computed_status: "pending",
    created_at: new Date(Date.now() - 5 * 60_000).toISOString(),
    starts_at: null,
    expires_at: null,
    time_remaining: null,
    approved_by: null,
    decisions: [],
    approval: { level: 1, needed: 1, given: 0, eligible: 2 },
    pending_extension_minutes: null,
    ended_at: null,
    ended_because: null,
    riskLevel: "medium",
    is_break_glass: false,
    review: null,
    needs_review: false,
    can: ["approve", "deny"],
    ...given,
  };
}

/** Active for another hour and a half. */
export function anActiveRequest(given: Partial<AccessRequest> = {}): AccessRequest {
  const end = new Date(Date.now() + 90 * 60_000 - 1000);
  return aRequest({
    status: "active",
    computed_status: "active",
    starts_at: new Date(Date.now() - 30 * 60_000).toISOString(),
    expires_at: end.toISOString(),
    time_remaining: 5399,
    approved_by: "Ada",
    decisions: [{ approver: "Ada", level: 1, decision: "approved", comment: "go", at: new Date().toISOString() }],
    approval: null,
    can: ["extend", "revoke"],
    ...given,
  });
}

export function aResource(given: Partial<RequestableAccount> = {}): RequestableAccount {
  return {
    account_id: randomUUID() as RequestableAccount["account_id"],
    name: "root on web1",
    hostname_ip: "web1.internal",
    username: "root",
    safe_name: "Web servers",
    system_type: "Linux",
    connection_method: "SSH",
    approvals: [{ level: 1, needed: 1, eligible: 2 }],
    reason_required: false,
    ticket_required: false,
    default_duration_minutes: 60,
    max_duration_minutes: 480,
    may_break_glass: false,
    ...given,
  };
}
