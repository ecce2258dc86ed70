// Replies of the server about one target, one scan and one discovered account.

export const TARGETS = "GET /api/v1/discovery/targets";
export const SCANS = "GET /api/v1/discovery/scans";
export const ACCOUNTS = "GET /api/v1/discovery/accounts";
export const PREVIEW = "POST /api/v1/discovery/accounts/preview";
export const STATISTICS = "GET /api/v1/discovery/statistics";
export const [TARGET_ID, SCAN_ID, ACCOUNT_ID, SAFE_ID] = [1, 2, 3, 4].map(
  (digit) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`,
);
export const AT = "2026-11-20T10:00:00.000Z";
export const FIGURES = {
  total_targets: 3,
  active_targets: 2,
  total_scans: 7,
  running_scans: 1,
  total_discovered_accounts: 8,
  pending_approval: 5,
  approved_accounts: 2,
  rejected_accounts: 1,
  unmanaged_privileged_accounts: 4,
  trend: [
    { day: "2026-11-19", managed: 1, unmanaged: 5, unmanaged_privileged: 3 },
    { day: "2026-11-20", managed: 2, unmanaged: 6, unmanaged_privileged: 4 },
  ],
  unmanaged_privileged_ages: [
    { age: "under_7_days", count: 1 },
    { age: "7_to_30_days", count: 0 },
    { age: "30_to_90_days", count: 2 },
    { age: "over_90_days", count: 1 },
  ],
  recent_activity: [],
};
export const aTarget = {
  id: TARGET_ID,
  name: "web-01",
  description: null,
  target_type: "linux",
  hostname: "web-01.internal",
  connection_method: "ssh",
  credential_id: ACCOUNT_ID,
  settings: { port: 22, timeout: 30_000 },
  safe_id: SAFE_ID,
  safe_name: "Web servers",
  is_active: true,
  host_key: null,
  offered_host_key: null,
  schedule: null,
  next_scan_at: null,
  last_scan: null,
  last_enhanced_scan: null,
  can_manage: true,
  has_enhanced_scans: true,
  created_at: AT,
  updated_at: AT,
};
export const aScan = {
  id: SCAN_ID,
  target_id: TARGET_ID,
  status: "failed",
  created_at: AT,
  started_at: AT,
  completed_at: AT,
  discovery_targets: { name: "web-01", hostname: "web-01.internal", target_type: "linux" },
  metadata: {
    accounts_discovered: null,
    accounts_stored: null,
    scan_duration: 1200,
    total_connections: 1,
    error: "wrong-password",
    error_message: "web-01.internal did not accept the password.",
    is_complete: true,
    incomplete_reason: null,
    commands: [],
  },
  progress: null,
  settings: { includeSystemAccounts: false, timeout: 30_000, maxAccounts: 1000 },
  requested_by: "Ada",
  is_scheduled: false,
  can_manage: true,
};
export const anAccount = {
  id: ACCOUNT_ID,
  account_name: "root",
  hostname_ip: "web-01.internal",
  system_type: "linux",
  status: "pending_approval",
  rejection_reason: null,
  discovered_at: AT,
  discovery_scan_id: SCAN_ID,
  target_id: TARGET_ID,
  discovery_metadata: {
    is_privileged: true,
    privilege: "root",
    is_locked: false,
    password_changed_at: null,
    expires_at: null,
    last_login_at: null,
    facts: { uid: 0, groups: ["root", "adm"] },
    changes: [{ field: "shell", from: "/bin/sh", to: "/bin/zsh" }],
    dependents: [{ kind: "cron-job", name: "/etc/cron.d/backup", detail: "0 3 * * *" }],
  },
  last_seen_at: AT,
  missing_since: null,
  is_managed: false,
  account_id: null,
  onboarding: null,
  decided_by: null,
  decided_at: null,
  can_manage: true,
};
export const aPlan = {
  id: ACCOUNT_ID,
  account_name: "root",
  hostname_ip: "web-01.internal",
  outcome: "pending",
  problem: null,
  name: "root on web-01.internal",
  safe: { id: SAFE_ID, name: "Web servers" },
  platform: { id: SAFE_ID, name: "Linux" },
  rule: "Servers",
  reconcile: { is_possible: false, message: "The account's platform has no reconcile account." },
  notes: ['The platform "Linux" does not verify passwords regularly.'],
  dependents: [{ kind: "cron-job", name: "/etc/cron.d/backup", detail: null }],
};
export const page = (...data: object[]) => ({
  json: { data, total: data.length, is_total_capped: false, next_cursor: null },
});
