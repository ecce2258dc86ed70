// A world in which an administrator can make nearly every call, with the inputs of each call that could give the most access.
import {
  AccountEdit,
  ChangedAuditSink,
  CredentialEdit,
  NewGroup,
  NewIdentityProvider,
  addDependent,
  createAccessRequest,
  createAuditSink,
  createIdentityProvider,
  createMachine,
  createToken,
  inviteUser,
  listReviewItems,
  register,
  setUserStatus,
  startAccessReview,
  updateAccount,
} from "@strongroom/contract";
import type { Endpoint } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import { randomUUID } from "node:crypto";
import { aRange, aScan, aScanTarget } from "./given-access-scans.ts";
import { must } from "./must.ts";
import { aCredential } from "./credentials.ts";
import { aPlatform, anAccount } from "./accounts.ts";
import { aPendingPerson, aPerson, firstAdmin } from "./people.ts";
import type { View } from "./everyones-rights.ts";
import { aGroup, aMember, aSafe } from "./safes.ts";
import { sampleBody } from "./sample-bodies.ts";
import { usualPolicy } from "./sign-in-policy.ts";
import type { CallOptions, TestApp } from "./test-app.ts";

export type GivenAccessWorld = Awaited<ReturnType<typeof aGivenAccessWorld>>;
type Input = Pick<CallOptions<Endpoint>, "params" | "query" | "body">;

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const HOST_KEY = { type: "ssh-ed25519", fingerprint: "SHA256:offered" };
let count = 0;

/** `owner` has all permissions; `member` uses the accounts in `home`, `insider` those in `away`, `outsider` none. */
export async function aGivenAccessWorld(app: TestApp) {
  await firstAdmin(app);
  const since = new Date();
  const owner = await aPerson(app, "admin");
  const [member, insider, outsider] = [await aPerson(app), await aPerson(app), await aPerson(app)];
  const [home, away, closed] = [
    await aSafe(app, owner),
    await aSafe(app, owner),
    await aSafe(app, owner, { status: "inactive" }),
  ];
  const membership = await aMember(app, owner, home, member, "user");
  await aMember(app, owner, away, insider, "manager");
  await aMember(app, owner, closed, insider, "user");
  const group = await aGroup(app, [member], { kind: "group" });
  await aMember(app, owner, away, group, "user");
  const [free, asking] = [await aPlatform(app), await aPlatform(app, { approvals_level_1: 1 })];
  const account = await anAccount(app, owner, home, { platform_id: free.id });
  const guarded = await anAccount(app, owner, home, { platform_id: asking.id });
  const disabled = await anAccount(app, owner, home, { platform_id: free.id });
  const disabling = { params: { id: disabled.id }, body: editOf(disabled, { status: "disabled" }) };
  await must(app, updateAccount, disabling, owner);
  const request = await must(app, createAccessRequest, askFor(guarded.id), member);
  const vague = await must(app, createAccessRequest, { body: { resource: "Some server", reason: "To test" } }, member);
  const credential = await aCredential(app, owner, { environment: "production", host: "db1.example.com" });
  const stored = [account.id, credential.id];
  await app.database.pool.query("update credentials set host_key = $1, offered_host_key = $2 where id = any($3)", [
    JSON.stringify({ ...HOST_KEY, fingerprint: "SHA256:pinned" }),
    JSON.stringify(HOST_KEY),
    stored,
  ]);
  await app.database.pool.query(
    `insert into factors (id, user_id, kind, name, sealed, created_at) values ($1, $2, 'totp', 'A phone', '', now())`,
    [randomUUID(), outsider.id],
  );
  const people = { owner, member, insider, outsider };
  const accounts = { account, guarded, disabled, credential };
  const view: View = {
    callerId: owner.id,
    since,
    safes: [home.id, away.id, closed.id],
    accounts: [account.id, guarded.id, disabled.id],
    credentials: [credential.id],
  };
  return { ...people, home, away, closed, membership, group, free, asking, ...accounts, request, vague, view };
}

const askFor = (account_id: string): Input => ({ body: { resource: "-", account_id, reason: "To test" } });

type SomeAccount = Pick<GivenAccessWorld["account"], "name" | "hostname_ip" | "username" | "platform_id">;
const fieldsOf = (account: SomeAccount, changes: object = {}) => ({
  name: account.name,
  hostname: account.hostname_ip,
  username: account.username,
  platform_id: account.platform_id,
  system_type: "Application",
  connection_method: "HTTPS",
  ...changes,
});

/** A complete body, as required for a change. */
const editOf = (account: SomeAccount, changes: object = {}) => AccountEdit.parse(fieldsOf(account, changes));

const sampleBodyOf = (name: string) => sampleBody(endpoints.find((named) => named.name === name)!);
const webhook = { name: "A hook", config: { kind: "webhook", url: "https://example.com/hook" } };
const provider = (name: string) => ({
  ...(sampleBodyOf("createIdentityProvider") as object),
  name,
  secret: "a client secret",
});
const sink = (name: string) => ({ name, config: { kind: "file", name: `${name}.jsonl` } });
const unique = (word: string) => `${word}-${(count += 1)}`;

/** The input of a call, built from the world. */
export type GivenAccessInput = (world: GivenAccessWorld, app: TestApp) => Input | Promise<Input>;
const byId = (id: string, body?: unknown): Input => ({ params: { id }, ...(body === undefined ? {} : { body }) });

const aReview = async ({ home, owner }: GivenAccessWorld, app: TestApp) => {
  const scope = { kind: "safes", safe_ids: [home.id] };
  const body = { name: "Quarterly", scope, due_at: TOMORROW, unreviewed: "is-removed" };
  const { id } = await must(app, startAccessReview, { body }, owner);
  const { items } = await must(app, listReviewItems, byId(id), owner);
  return { id, item: items.find((each) => each.can_decide)! };
};
const aSleeper = async (app: TestApp) => {
  const person = await aPerson(app);
  await must(app, setUserStatus, byId(person.id, { status: "disabled" }));
  return person;
};
const anInvited = async (app: TestApp) =>
  (await must(app, inviteUser, { body: { email: `${unique("invited")}@example.com` } })).user.id;

/** The path parameters of an up-to-date dependent. */
const aDependent: GivenAccessInput = async ({ account, owner }, app) => {
  const { id } = await must(app, addDependent, byId(account.id, webhook), owner);
  await app.database.pool.query("update account_dependents set state = 'current' where id = $1", [id]);
  return { params: { id: account.id, dependentId: id } };
};

/** Inputs for calls whose sample body names a missing object, or would give less than another input. */
const INPUTS: Record<string, GivenAccessInput[]> = {
  addSafeMember: [({ home, outsider }) => byId(home.id, { user_id: outsider.id, role: "user" })],
  updateSafeMember: [
    ({ home, membership }) => ({
      params: { id: home.id, member_id: membership.id },
      body: { role: "manager", expires_at: null },
    }),
  ],
  removeSafeMember: [({ home, membership }) => ({ params: { id: home.id, member_id: membership.id } })],
  updateSafe: [
    ({ home, outsider }) => byId(home.id, { name: home.name, description: null, owner_id: outsider.id }),
    ({ home }) => byId(home.id, { name: home.name, description: null, access_level: "public" }),
    ({ closed }) => byId(closed.id, { name: closed.name, description: null, status: "active" }),
  ],
  deleteSafe: [({ home, away }) => ({ ...byId(home.id), query: { move_accounts_to: away.id } })],
  createGroup: [() => ({ body: { name: unique("Group"), may_break_glass: true } })],
  updateGroup: [({ group }) => byId(group.id, NewGroup.parse({ name: group.name, may_break_glass: true }))],
  addGroupMember: [({ group, outsider }) => byId(group.id, { user_id: outsider.id })],
  removeGroupMember: [({ group, member }) => ({ params: { id: group.id, user_id: member.id } })],
  deleteGroup: [({ group }) => byId(group.id)],
  createAccount: [
    ({ home, free }) => ({
      body: { ...fieldsOf({ ...NEW, platform_id: free.id }), safe_id: home.id, password: "a secret" },
    }),
  ],
  updateAccount: [
    ({ account }) => byId(account.id, editOf(account, { hostname: "elsewhere.example.com" })),
    ({ guarded, free }) => byId(guarded.id, editOf(guarded, { platform_id: free.id })),
    ({ disabled }) => byId(disabled.id, editOf(disabled, { status: "active" })),
  ],
  moveAccount: [({ account, away }) => byId(account.id, { safe_id: away.id })],
  bulkAccounts: [
    ({ account, away }) => ({ body: { action: "move", account_ids: [account.id], safe_id: away.id } }),
    ({ disabled }) => ({ body: { action: "enable", account_ids: [disabled.id] } }),
  ],
  acceptAccountHostKey: [
    ({ account }) => byId(account.id, { fingerprint: `${HOST_KEY.type} ${HOST_KEY.fingerprint}` }),
  ],
  acceptHostKey: [({ credential }) => byId(credential.id, { fingerprint: `${HOST_KEY.type} ${HOST_KEY.fingerprint}` })],
  createDiscoveryTarget: [async (world, app) => ({ body: { ...(await aScan(world, app)), safeId: world.home.id } })],
  updateDiscoveryTarget: [
    async (world, app) => {
      const { id, ...body } = await aScanTarget(world, app);
      return byId(id, { ...body, hostname: "elsewhere.example.com", isActive: true });
    },
  ],
  acceptDiscoveryHostKey: [
    async (world, app) => {
      const { id } = await aScanTarget(world, app);
      const offer = "update discovery_targets set offered_host_key = $1 where id = $2";
      await app.database.pool.query(offer, [JSON.stringify(HOST_KEY), id]);
      return byId(id, { fingerprint: `${HOST_KEY.type} ${HOST_KEY.fingerprint}` });
    },
  ],
  startRangeScan: [
    async (world, app) => {
      const { credentialId, targetType } = await aScan(world, app);
      return {
        body: { ...(await aRange(world, app)), credentials: [{ targetType, credentialId }], createsTargets: true },
      };
    },
  ],
  updateCredential: [
    ({ credential: { id, name, type } }) =>
      byId(id, CredentialEdit.parse({ name, type, environment: "production", host: "elsewhere.example.com" })),
  ],
  addDependent: [({ account }) => byId(account.id, webhook)],
  updateDependent: [aDependent],
  removeDependent: [aDependent],
  approveAccessRequest: [({ request }) => byId(request.id, {})],
  denyAccessRequest: [({ request }) => byId(request.id, {})],
  mapAccessRequest: [({ vague, account }) => byId(vague.id, { account_id: account.id })],
  createAccessRequest: [({ guarded }) => askFor(guarded.id)],
  startAccessReview: [
    ({ home, outsider }) => {
      const scope = { kind: "safes", safe_ids: [home.id] };
      const body = { name: "Quarterly", scope, due_at: TOMORROW, unreviewed: "stays", reviewer_id: outsider.id };
      return { body };
    },
  ],
  decideReviewItem: [
    async (world, app) => {
      const { id, item } = await aReview(world, app);
      return { params: { id, item_id: item.id }, body: { decision: "confirmed" } };
    },
  ],
  decideReviewItems: [
    async (world, app) => {
      const { id, item } = await aReview(world, app);
      return byId(id, { item_ids: [item.id], decision: "confirmed" });
    },
  ],
  closeAccessReview: [async (world, app) => byId((await aReview(world, app)).id)],
  remindReviewers: [async (world, app) => byId((await aReview(world, app)).id)],
  updatePlatform: [({ asking }) => byId(asking.id, { ...policyOf(asking), approvals_level_1: 0 })],
  createPlatform: [({ free }) => ({ body: { ...policyOf(free), name: unique("Platform") } })],
  createIdentityProvider: [() => ({ body: provider(unique("Provider")) })],
  updateIdentityProvider: [
    async (_, app) => {
      const name = unique("Provider");
      const { id } = await must(app, createIdentityProvider, { body: { ...provider(name), is_enabled: false } });
      const role_mappings = [{ group: "admins", role: "admin" }];
      return byId(id, NewIdentityProvider.parse({ ...provider(name), role_mappings }));
    },
  ],
  createAuditSink: [() => ({ body: sink(unique("sink")) })],
  updateAuditSink: [
    async (_, app) =>
      byId(
        (await must(app, createAuditSink, { body: sink(unique("sink")) })).id,
        ChangedAuditSink.parse(sink(unique("sink"))),
      ),
  ],
  switchAuditSink: [
    async (_, app) => {
      const { id } = await must(app, createAuditSink, { body: { ...sink(unique("sink")), is_enabled: false } });
      await app.database.pool.query("update audit_sinks set is_enabled = false where id = $1", [id]);
      return byId(id, { is_enabled: true });
    },
  ],
  createMachine: [({ outsider }) => ({ body: { name: unique("machine"), responsible_user_id: outsider.id } })],
  updateMachine: [
    async ({ outsider, owner }, app) => {
      const name = unique("machine");
      const { id } = await must(app, createMachine, { body: { name, responsible_user_id: owner.id } });
      return byId(id, { name, description: null, responsible_user_id: outsider.id });
    },
  ],
  createMachineToken: [
    async ({ owner }, app) => {
      const body = { name: unique("machine"), responsible_user_id: owner.id };
      const { id } = await must(app, createMachine, { body });
      return byId(id, { name: "A token", scopes: ["read-only"], expires_in_days: 30 });
    },
  ],
  revokeToken: [
    async ({ owner }, app) => {
      const body = { name: "A token", scopes: ["read-only"], expires_in_days: 30 };
      return byId((await must(app, createToken, { body }, owner)).details.id);
    },
  ],
  confirmTokens: [
    async ({ owner }, app) => {
      const body = { name: "A token", scopes: ["read-only"], expires_in_days: 30 };
      const { id } = (await must(app, createToken, { body }, owner)).details;
      await app.database.pool.query("update tokens set suspended_at = now() where id = $1", [id]);
      return { body: { token_ids: [id] } };
    },
  ],
  updateTokenPolicy: [() => ({ body: { person_days: 300, machine_days: 3000 } })],
  inviteUser: [() => ({ body: { email: `${unique("invited")}@example.com` } })],
  inviteAgain: [async (_, app) => byId(await anInvited(app), {})],
  issueResetLink: [({ outsider }) => byId(outsider.id)],
  changeUserRole: [({ outsider }) => byId(outsider.id, { role: "admin" })],
  setUserStatus: [async (_, app) => byId((await aSleeper(app)).id, { status: "active" })],
  decideRoleRequest: [
    async (_, app) => {
      const email = `${unique("asks")}@example.com`;
      await must(app, register, { body: { email, password: "a long enough password", role: "manager" } });
      const { rows } = await app.database.pool.query("select id from users where email = $1", [email]);
      const { id } = (rows as { id: string }[])[0]!;
      await app.database.pool.query("update users set status = 'active' where id = $1", [id]);
      return byId(id, { decision: "approve" });
    },
  ],
  activateUser: [async (_, app) => byId((await aPendingPerson(app)).id, {})],
  activateUsers: [async (_, app) => ({ body: { user_ids: [(await aPendingPerson(app)).id] } })],
  updateSignInPolicy: [() => ({ body: { ...usualPolicy, session_hours: 11 } })],
  deleteUser: [({ outsider }) => byId(outsider.id)],
  endUserSessions: [({ outsider }) => byId(outsider.id)],
  unlockUser: [({ outsider }) => byId(outsider.id)],
  previewAccessChange: [
    ({ outsider }) => ({ body: { change: { kind: "role-changed", user_id: outsider.id, role: "admin" } } }),
  ],
  deletePlatform: [async (_, app) => byId((await aPlatform(app)).id)],
};

/** For calls that give access only with some inputs: inputs that give none. */
const HARMLESS: Record<string, GivenAccessInput[]> = {
  updateSafe: [
    ({ home }) => byId(home.id, { name: "Another name", description: null }),
    ({ home }) => byId(home.id, { name: home.name, description: null, status: "archived" }),
  ],
  deleteSafe: [async ({ owner }, app) => byId((await aSafe(app, owner)).id)],
  updateAccount: [({ account }) => byId(account.id, editOf(account, { notes: "Renewed in spring" }))],
  bulkAccounts: [
    ({ account }) => ({ body: { action: "disable", account_ids: [account.id] } }),
    ({ account }) => ({ body: { action: "delete", account_ids: [account.id] } }),
  ],
  updateDiscoveryTarget: [
    async (world, app) => {
      const { id, ...body } = await aScanTarget(world, app);
      return byId(id, { ...body, name: "Another name", isActive: true });
    },
  ],
  startRangeScan: [async (world, app) => ({ body: await aRange(world, app) })],
  updateCredential: [
    ({ credential: { id, type, host } }) =>
      byId(id, CredentialEdit.parse({ name: "Another name", type, host, environment: "production" })),
  ],
};

const NEW = { name: "An account", hostname_ip: "new.example.com", username: "root", platform_id: "" as never };

const policyOf = ({ id: _id, ...platform }: GivenAccessWorld["free"]): object => {
  const {
    account_count: _a,
    created_at: _c,
    updated_at: _u,
    reconcile_readiness: _r,
    ...policy
  } = platform as Record<string, unknown>;
  return policy;
};

/** The object of `:id` in the paths of each area. */
const THINGS: readonly [path: string, of: (world: GivenAccessWorld) => string][] = [
  ["/api/v1/accounts/", ({ account }) => account.id],
  ["/api/v1/credentials/", ({ credential }) => credential.id],
  ["/api/v1/safes/", ({ home }) => home.id],
  ["/api/v1/groups/", ({ group }) => group.id],
  ["/api/v1/jit/", ({ request }) => request.id],
  ["/api/v1/platforms/", ({ free }) => free.id],
  ["/api/v1/users/", ({ outsider }) => outsider.id],
];

/** Path parameters without an object in this world. */
const PLACES = { item_id: randomUUID(), dependentId: randomUUID(), user_id: randomUUID(), name: "none" };

/**
 * The inputs to try when `owner` makes a call: those listed for the call, or else its sample body and path parameters.
 */
export function inputsFor(named: NamedEndpoint): GivenAccessInput[] {
  return (
    INPUTS[named.name] ?? [
      (world) => {
        const id = THINGS.find(([path]) => named.endpoint.path.startsWith(path))?.[1](world);
        return { params: { id: id ?? randomUUID(), ...PLACES, version: "1" }, body: sampleBody(named) };
      },
    ]
  );
}

/** Throws for a call that gives access only with some inputs, and has no harmless input here: add one. */
export function harmlessInputsFor({ name }: NamedEndpoint): GivenAccessInput[] {
  const inputs = HARMLESS[name];
  if (inputs === undefined) throw new Error(`add an input with which ${name} gives nothing`);
  return inputs;
}
