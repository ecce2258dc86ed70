// A valid body for every call that takes one, so that no test is refused because of the body.
import {
  AccountEdit,
  ChangedAuditSink,
  CredentialEdit,
  DashboardPreferences,
  NewGroup,
  NewIdentityProvider,
  NewScanConfig,
  NotificationPreferences,
} from "@strongroom/contract";
import type { NamedEndpoint } from "@strongroom/contract/all";
import { aPolicy } from "./accounts.ts";
import { usualPolicy } from "./sign-in-policy.ts";

const id = "0190c0de-0000-7000-8000-00000000beef";

const account = {
  name: "An account",
  hostname: "server1.example.com",
  username: "root",
  platform_id: id,
  system_type: "Application",
  connection_method: "HTTPS",
} as const;

const sink = { name: "A sink", config: { kind: "file", name: "audit.jsonl" } };

const identityProvider = {
  kind: "oidc",
  name: "A provider",
  is_enabled: true,
  creates_people: false,
  links_by_email: false,
  without_group: "user",
  role_mappings: [],
  domains: [],
  settings: { issuer: "https://login.example.com", client_id: "strongroom" },
};

const onboardingRule = {
  name: "A rule",
  safeId: id,
  action: "place",
  platformId: id,
  onboardingSettings: {},
};

const discoveryLogin = {
  targetType: "linux",
  connectionMethod: "ssh",
  hostname: "server1.example.com",
  credentialId: id,
  settings: { port: 22, timeout: 30_000 },
};

const passkey = { id: "AAAA", rawId: "AAAA", type: "public-key" };
const assertion = {
  ...passkey,
  response: { clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" },
};
const pending = "not-a-sign-in-that-waits";
const answer = { kind: "totp", name: "A phone", code: "123456" };

const BODIES: Record<string, unknown> = {
  startPrivilegedSession: {},
  terminatePrivilegedSession: { reason: "Wrong host" },
  holdSessionRecording: { reason: "Case 7" },
  releaseSessionRecording: { reason: "Case 7 is closed" },
  searchRecordings: { text: "rm -rf" },
  pausePrivilegedSession: { is_paused: true },
  messagePrivilegedSession: { text: "Please log out" },
  drainGateway: { is_draining: true },
  addSshKey: {
    name: "A laptop",
    public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL5BrttCXGmfidEtwUB6xaV6oGIBPpn8i4fSMtBWo1zn a laptop",
    expires_in_days: 90,
  },
  activateUser: {},
  activateUsers: { user_ids: [id] },
  beginFactor: { kind: "totp" },
  confirmTokens: { token_ids: [id] },
  addFactor: answer,
  completeSignIn: { pending, proof: { kind: "totp", code: "123456" } },
  beginFirstFactor: { pending, kind: "totp" },
  addFirstFactor: { pending, answer },
  signInWithPasskey: { response: assertion },
  stepUp: { proof: { kind: "password", password: "a password" } },
  createAuditSink: sink,
  updateAuditSink: ChangedAuditSink.parse(sink),
  switchAuditSink: { is_enabled: false },
  addWitnessedLog: { name: "A log", verifier_key: "not a key" },
  addCheckpoint: "old 0\n\nnot a checkpoint\n",
  login: { email: "nobody@example.com", password: "a password" },
  register: { email: "somebody@example.com", password: "a password", role: "user" },
  cancelRecoveryByLink: { token: "not-a-token-that-exists" },
  requestAdminReset: { user_id: id, kind: "password", reason: "A reason" },
  requestPasswordReset: { email: "nobody@example.com" },
  completePasswordReset: { token: "not-a-token-that-exists", password: "a password" },
  changePassword: { current_password: "a password", new_password: "another password" },
  createIdentityProvider: identityProvider,
  updateIdentityProvider: NewIdentityProvider.parse(identityProvider),
  testIdentityProvider: {},
  beginOidc: {},
  beginProviderStepUp: {},
  finishOidc: { query: "code=a-code&state=a-state" },
  unseal: { passphrase: "not the passphrase" },
  inviteUser: { email: "invited@example.com" },
  inviteAgain: {},
  changeUserRole: { role: "user" },
  setUserStatus: { status: "disabled" },
  decideRoleRequest: { decision: "deny" },
  updateSignInPolicy: usualPolicy,
  previewSignInPolicy: usualPolicy,
  createCredential: { name: "A name", type: "password", value: "a secret value" },
  updateCredential: CredentialEdit.parse({ name: "A name", type: "password" }),
  revealCredential: {},
  acceptContradictions: { ids: [id], checkpoint: null, reason: "An older backup was restored" },
  verifyMultiple: { credential_ids: [id] },
  acceptHostKey: { fingerprint: "SHA256:none" },
  updateDashboardPreferences: DashboardPreferences.parse({}),
  updateNotificationPreferences: NotificationPreferences.parse({}),
  createSafe: { name: "A safe" },
  updateSafe: { name: "A safe", description: null },
  addSafeMember: { user_id: id, role: "user" },
  updateSafeMember: { role: "user", expires_at: null },
  createGroup: { name: "A group" },
  updateGroup: NewGroup.parse({ name: "A group" }),
  addGroupMember: { user_id: id },
  createPlatform: aPolicy,
  updatePlatform: aPolicy,
  createDiscoveryTarget: { ...discoveryLogin, name: "A target", safeId: id },
  testDiscoveryTarget: discoveryLogin,
  updateDiscoveryTarget: { ...discoveryLogin, name: "A target", description: null, isActive: true, schedule: null },
  acceptDiscoveryHostKey: { fingerprint: "SHA256:none" },
  startRangeScan: { name: "A range", safeId: id, ranges: ["10.0.0.0/24"] },
  allowDiscoveryNetwork: { network: "10.0.0.0/8" },
  startDiscoveryScan: { scanSettings: {} },
  generateRiskAssessment: { targetIds: [], options: {} },
  generateReport: { targetIds: [] },
  createReportSchedule: { cadence: "weekly" },
  approveDiscoveredAccounts: { accountIds: [id], onboardingSettings: {} },
  previewOnboarding: { accountIds: [id], onboardingSettings: {} },
  createOnboardingRule: onboardingRule,
  dryRunOnboardingRule: onboardingRule,
  moveOnboardingRule: { direction: "up" },
  rejectDiscoveredAccounts: { accountIds: [id], reason: "A reason" },
  startEnhancedScan: { scanConfig: {}, complianceFrameworks: [] },
  createScanConfig: { name: "Nightly", scanConfig: {} },
  updateScanConfig: NewScanConfig.parse({ name: "Nightly", scanConfig: {} }),
  changeFindingStatus: { status: "accepted" },
  changeFindingStatuses: { findingIds: [id], status: "accepted" },
  assignFinding: { assigneeId: null },
  commentOnFinding: { text: "Ask the owner" },
  verifyFinding: { login: {} },
  vaultFindings: { findingIds: [id], vaultSettings: {}, login: {} },
  exportFindings: { format: "json", filters: {} },
  createFindingRule: { kind: "class", reason: "Test keys", reviewAt: "2099-01-01T00:00:00.000Z" },
  createAccount: { ...account, safe_id: id, password: "a secret value" },
  updateAccount: AccountEdit.parse({ ...account, platform_id: id }),
  retrieveAccount: {},
  allowAccountAccess: { reason: "The system is back only tomorrow" },
  moveAccount: { safe_id: id },
  retrieveAccountVersion: {},
  acceptAccountHostKey: { fingerprint: "SHA256:none" },
  bulkAccounts: { action: "disable", account_ids: [id] },
  importAccounts: { csv: "name,hostname\nA name,server1.example.com" },
  createAccessRequest: { resource: "A server", reason: "A reason" },
  approveAccessRequest: {},
  denyAccessRequest: {},
  revokeAccessRequest: {},
  extendAccessRequest: { extensionMinutes: 60 },
  mapAccessRequest: { account_id: id },
  previewAccessChange: { change: { kind: "role-changed", user_id: id, role: "user" } },
  startAccessReview: {
    name: "A review",
    scope: { kind: "all" },
    due_at: "2100-01-01T00:00:00.000Z",
    unreviewed: "stays",
  },
  decideReviewItem: { decision: "removed", reason: "A reason" },
  decideReviewItems: { item_ids: [id], decision: "confirmed" },
  breakGlass: { account_id: id, reason: "It cannot wait any longer" },
  triggerValidation: { accountIds: [id] },
  exportValidationReport: { date_range: { start: "2026-01-01T00:00:00.000Z", end: "2026-01-02T00:00:00.000Z" } },
  exportValidationJson: { date_range: { start: "2026-01-01T00:00:00.000Z", end: "2026-01-02T00:00:00.000Z" } },
  searchValidation: {},
  addDependent: { name: "A web hook", config: { kind: "webhook", url: "https://example.com/hook" } },
  rotateSeveral: { account_ids: [id] },
  renameOneself: { name: "A name" },
  createToken: { name: "A token", scopes: ["read-only"], expires_in_days: 30 },
  createMachineToken: { name: "A token", scopes: ["read-only"], expires_in_days: 30 },
  updateTokenPolicy: { person_days: 90, machine_days: 365 },
  createMachine: { name: "A machine", responsible_user_id: id },
  updateMachine: { name: "A machine", description: null, responsible_user_id: id },
  reviewBreakGlass: { verdict: "justified", comment: "It was" },
};

/** Throws for a call that has a body and no sample here: add one. */
export function sampleBody({ name, endpoint }: NamedEndpoint): unknown {
  if (endpoint.body === undefined) return undefined;
  if (!(name in BODIES)) throw new Error(`add a sample body for ${name}`);
  return BODIES[name];
}
