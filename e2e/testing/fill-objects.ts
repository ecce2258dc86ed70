// One object of each other kind for the screenshots of `npm run pictures`, so that its dialogs can be opened.
import {
  addDependent,
  addGroupMember,
  addSafeMember,
  addSshKey,
  addWitnessedLog,
  breakGlass,
  changeUserRole,
  createAccessRequest,
  createAuditSink,
  createGroup,
  createIdentityProvider,
  createMachine,
  createMachineToken,
  createReportSchedule,
  createSavedView,
  createSshCaKey,
  createToken,
  listPlatforms,
  readCheckpoint,
  requestAdminReset,
  requestPasswordReset,
  startAccessReview,
  updatePlatform,
} from "@strongroom/contract";
import type { AccessReview } from "@strongroom/contract";
import { ask, tokenOf, userIdOf } from "./people.ts";
import type { Person } from "./people.ts";
import type { RunningServer } from "./server.ts";
import type { World } from "./fill-server.ts";

const SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJlA2GZ5uF0vJ5xF3qyNd7CRhYb7oHTtRkK0d2m1nD2b ada@laptop";

export async function fillObjects(server: RunningServer, world: World): Promise<{ reviewId: AccessReview["id"] }> {
  await accessRequests(server, world);
  await signInObjects(server, world);
  await auditObjects(server, world);
  await resets(server, world);
  const due_at = new Date(Date.now() + 14 * 86_400_000).toISOString();
  const body = { name: "Autumn review", scope: { kind: "all" }, due_at, unreviewed: "stays" } as const;
  const { id } = await ask(server.url, startAccessReview, { body }, world.token);
  return { reviewId: id };
}

/** A request to approve, one in free text to map, and one of a group with emergency access to review. */
async function accessRequests({ url }: RunningServer, { token, accounts, safes, users }: World): Promise<void> {
  const requester = await tokenOf({ url }, users[1]!);
  const user_id = userIdOf(requester);
  const { platforms } = await ask(url, listPlatforms, {}, token);
  const network = platforms.find(({ id }) => id === accounts[3]!.platform_id)!;
  const { id, account_count: _, reconcile_readiness: __, created_at: ___, updated_at: ____, ...policy } = network;
  await ask(url, updatePlatform, { params: { id }, body: { ...policy, approvals_level_1: 1 } }, token);
  const params = { id: safes[7]!.id };
  await ask(url, addSafeMember, { params, body: { user_id, role: "user" } }, token);
  const [first, second] = [accounts[7]!, accounts[19]!];
  const asked = { reason: "Replace a broken cable", durationMinutes: 60 };
  await ask(url, createAccessRequest, { body: { ...asked, resource: first.name, account_id: first.id } }, requester);
  await ask(url, createAccessRequest, { body: { ...asked, resource: "The old mail server" } }, requester);
  const kind = { name: "Operators", description: "Night shift", may_break_glass: true };
  const group = await ask(url, createGroup, { body: kind }, token);
  for (const member of [user_id, userIdOf(token)])
    await ask(url, addGroupMember, { params: { id: group.id }, body: { user_id: member } }, token);
  const urgent = { account_id: second.id, reason: "The core switch is down in both sites", durationMinutes: 60 };
  await ask(url, breakGlass, { body: urgent }, requester);
}

async function signInObjects({ url }: RunningServer, { token, accounts }: World): Promise<void> {
  const settings = { issuer: "https://login.example.com", client_id: "strongroom" };
  const provider = {
    name: "Company login",
    kind: "oidc",
    settings,
    secret: "a client secret",
    is_enabled: true,
  } as const;
  const rules = { creates_people: true, links_by_email: false, without_group: "user", role_mappings: [], domains: [] };
  await ask(url, createIdentityProvider, { body: { ...provider, ...rules, without_group: "user" } }, token);
  const machine = { name: "Deployment", description: "Releases", responsible_user_id: userIdOf(token) };
  const { id } = await ask(url, createMachine, { body: machine }, token);
  const made = { name: "Pipeline", scopes: ["account.read"], expires_in_days: 30 } as const;
  await ask(url, createMachineToken, { params: { id }, body: { ...made, scopes: ["account.read"] } }, token);
  await ask(url, createToken, { body: { ...made, scopes: ["account.read"] } }, token);
  await ask(url, addSshKey, { body: { name: "Laptop", public_key: SSH_KEY, expires_in_days: 90 } }, token);
  const view = { list: "accounts", name: "Windows servers", filters: { system: "Windows" }, is_shared: true } as const;
  await ask(url, createSavedView, { body: view }, token);
  const [account, other] = [accounts[0]!, accounts[4]!];
  const dependent = { name: "Backup job", config: { kind: "account", account_id: other.id } } as const;
  await ask(url, addDependent, { params: { id: account.id }, body: dependent }, token);
}

async function auditObjects({ url }: RunningServer, { token }: World): Promise<void> {
  const sink = { name: "Archive", config: { kind: "file", name: "trail.jsonl" } } as const;
  await ask(url, createAuditSink, { body: sink }, token);
  const { verifier_key } = await ask(url, readCheckpoint, {}, token);
  await ask(url, addWitnessedLog, { body: { name: "Second site", verifier_key } }, token);
  await ask(url, createSshCaKey, {}, token);
  const report = { cadence: "weekly", timeframe: "30d" } as const;
  await ask(url, createReportSchedule, { body: report }, token);
}

/** A user's request for a new password, and an administrator's reset that a second administrator confirms. */
async function resets({ url }: RunningServer, { token, users }: World): Promise<void> {
  const [requester, forgetful]: [Person, Person] = [users[7]!, users[6]!];
  for (const person of [requester, forgetful]) {
    const params = { id: userIdOf(await tokenOf({ url }, person)) };
    await ask(url, changeUserRole, { params, body: { role: "admin" } }, token);
  }
  const user_id = userIdOf(await tokenOf({ url }, forgetful));
  const body = { user_id, kind: "factors", reason: "Lost phone" } as const;
  await ask(url, requestAdminReset, { body }, await tokenOf({ url }, requester));
  await ask(url, requestPasswordReset, { body: { email: users[8]!.email } });
}
