// A PUT never resets an omitted field: for every PUT of the contract, each field is either required or kept.
import {
  createAccount,
  createAuditSink,
  createIdentityProvider,
  createMachine,
  listAuditSinks,
  listGroups,
  listIdentityProviders,
  listMachines,
  listSafeMembers,
  listUsers,
  readAccountDetails,
  readCredential,
  readDashboardPreferences,
  readNotificationPreferences,
  readOwnProfile,
  readPlatform,
  readSafe,
  readSignInPolicy,
  readTokenPolicy,
  updateCredential,
} from "@strongroom/contract";
import type { Endpoint, Problem } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform } from "./accounts.ts";
import { aCredential, aSecret } from "./credentials.ts";
import { aPerson, firstAdmin } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { aGroup, aMember, aSafe } from "./safes.ts";
import { usualPolicy } from "./sign-in-policy.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

type Json = Record<string, unknown>;

/** A value in which every field differs from the contract's default. */
interface Changeable {
  params?: Json;
  as: TestPerson;
  /** Its state as the server returns it now, under the names of the PUT body. */
  read: () => Promise<Json>;
  /** Required by a rule over several fields, which the document cannot express. */
  alsoRequired?: string;
}

let app: TestApp;
let admin: TestPerson;
let owner: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
  owner = await aPerson(app);
});
after(() => app.close());

const found = async (list: readonly { id: string }[], id: string): Promise<Json> => ({
  ...list.find((each) => each.id === id),
});
const made = <T>(reply: { status: number; text: string; body: T }): T => {
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};

const FIELDS = {
  username: "app-user",
  port: 4711,
  database_name: "payroll",
  schema_name: "hr",
  connection_string: "https://db.example.com/payroll",
  ssl_enabled: true,
  additional_params: { region: "north" },
};

const CHANGEABLE: Record<string, () => Promise<Changeable>> = {
  async updateCredential() {
    const fields = { ...FIELDS, type: "application", host: "db.example.com", environment: "staging" } as const;
    const { id } = await aCredential(app, owner, fields);
    const read = async () => (await app.call(readCredential, { params: { id }, as: owner.token })).body;
    return { params: { id }, as: owner, read };
  },
  async updateAccount() {
    const safe = await aSafe(app, owner);
    const { id: platform_id } = await aPlatform(app);
    const body = {
      ...FIELDS,
      name: "Payroll",
      hostname: "db.example.com",
      platform_id,
      system_type: "Application",
      connection_method: "HTTPS",
      account_type: "service",
      notes: "Only at night",
      safe_id: safe.id,
      password: aSecret(),
    } as const;
    const { id } = made(await app.call(createAccount, { body, as: owner.token }));
    const read = async () => {
      const { body: shown } = await app.call(readAccountDetails, { params: { id }, as: owner.token });
      return { ...shown, hostname: shown.hostname_ip };
    };
    return { params: { id }, as: owner, read };
  },
  async updateAuditSink() {
    const config = { kind: "syslog", host: "siem.example.com", port: 1514, transport: "tcp" } as const;
    const body = { name: "SIEM", format: "cef", every_seconds: 90, config, is_enabled: false } as const;
    const { id } = made(await app.call(createAuditSink, { body, as: admin.token }));
    const read = async () => {
      const sink = await found((await app.call(listAuditSinks, { as: admin.token })).body.sinks, id);
      // The trail grows meanwhile, so how far the sink is behind changes by itself.
      const { status: _, ...settings } = sink;
      return settings;
    };
    return { params: { id }, as: admin, read };
  },
  async updateGroup() {
    const fields = { description: "All of them", kind: "team", may_break_glass: true } as const;
    const { id } = await aGroup(app, [owner], fields);
    const read = async () => found((await app.call(listGroups, { as: admin.token })).body.groups, id);
    return { params: { id }, as: admin, read };
  },
  async updateIdentityProvider() {
    const settings = {
      issuer: "https://login.example.com",
      client_id: "strongroom",
      scopes: "openid email",
      group_claim: "roles",
      factor_values: ["mfa"],
    };
    const body = {
      kind: "oidc",
      name: "Company",
      is_enabled: false,
      creates_people: true,
      links_by_email: true,
      without_group: "user",
      role_mappings: [{ group: "ops", role: "manager" }],
      domains: ["example.com"],
      settings,
      secret: aSecret(),
    } as const;
    const { id } = made(
      await app.call(createIdentityProvider, {
        body: { ...body, domains: [...body.domains] } as never,
        as: admin.token,
      }),
    );
    const read = async () => found((await app.call(listIdentityProviders, { as: admin.token })).body.data, id);
    return { params: { id }, as: admin, read };
  },
  async updateMachine() {
    const body = { name: "Deployment", description: "Deploys", responsible_user_id: owner.id };
    const { id } = made(await app.call(createMachine, { body, as: admin.token }));
    const read = async () => {
      const shown = await found((await app.call(listMachines, { as: admin.token })).body.data, id);
      return { ...shown, responsible_user_id: (shown["responsible"] as Json)["user_id"] };
    };
    return { params: { id }, as: admin, read, alsoRequired: "responsible_user_id" };
  },
  async updatePlatform() {
    const { id } = await aPlatform(app, {
      description: "Databases at night",
      is_active: false,
      verify_every_hours: 12,
      rotate_every_days: 30,
      rotate_automatically: false,
      rotation_window: { from_hour: 1, to_hour: 5 },
      rotation_jitter_minutes: 7,
      reconcile_hosts: ["*.example.com"],
      approvals_level_1: 1,
      reason_required: true,
    });
    const read = async () => (await app.call(readPlatform, { params: { id }, as: admin.token })).body;
    return { params: { id }, as: admin, read };
  },
  async updateSafe() {
    const fields = { description: "Shared", safe_type: "application", access_level: "public" } as const;
    const { id } = await aSafe(app, owner, { ...fields, status: "inactive" });
    const read = async () => (await app.call(readSafe, { params: { id }, as: owner.token })).body;
    return { params: { id }, as: owner, read };
  },
  async updateSafeMember() {
    const safe = await aSafe(app, owner);
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const member = await aMember(app, owner, safe, await aPerson(app), "auditor", end);
    const params = { id: safe.id, member_id: member.id };
    const list = () => app.call(listSafeMembers, { params: { id: safe.id }, as: owner.token });
    return { params, as: owner, read: async () => found((await list()).body.members, member.id) };
  },
  async updateSignInPolicy() {
    const read = async () => (await app.call(readSignInPolicy, { as: admin.token })).body;
    return { as: admin, read };
  },
  async updateTokenPolicy() {
    const read = async () => (await app.call(readTokenPolicy, { as: admin.token })).body;
    return { as: admin, read };
  },
  async updateDashboardPreferences() {
    const read = async () => (await app.call(readDashboardPreferences, { as: owner.token })).body;
    return { as: owner, read };
  },
  async updateNotificationPreferences() {
    const read = async () => (await app.call(readNotificationPreferences, { as: owner.token })).body;
    return { as: owner, read };
  },
  async renameOneself() {
    return { as: owner, read: async () => (await app.call(readOwnProfile, { as: owner.token })).body };
  },
  changeUserRole: aUser,
  setUserStatus: aUser,
};

async function aUser(): Promise<Changeable> {
  const { id } = await aPerson(app, "manager");
  const list = () => app.call(listUsers, { query: { limit: 200 }, as: admin.token });
  return { params: { id }, as: admin, read: async () => found((await list()).body.data, id) };
}

/** Not the contract's defaults, so that a reset is visible. */
const CHANGES: Record<string, Json> = {
  updateSignInPolicy: { ...usualPolicy, timeout_minutes: 61 },
  updateTokenPolicy: { person_days: 77, machine_days: 99 },
  updateDashboardPreferences: {
    autoRefresh: false,
    refreshInterval: 60_000,
    defaultTimeRange: "7d",
    visibleWidgets: ["alerts"],
    notifications: { enableCriticalAlerts: false, enableSuccessNotifications: true, alertSounds: true },
  },
  updateNotificationPreferences: {
    enableValidationAlerts: false,
    enableCriticalFailures: false,
    enableJitAlerts: false,
    enableSuccessNotifications: true,
    alertSounds: true,
    emailNotifications: true,
    minimumSeverity: "high",
  },
};

const puts = endpoints.filter(({ endpoint }) => endpoint.method === "PUT");
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every path in an object, including nested ones; the contents of `additional_params` are up to the person. */
function pathsIn(value: Json, path: string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, name];
    return isObject(inner) && name !== "additional_params" ? [here, ...pathsIn(inner, here)] : [here];
  });
}

const without = (value: Json, [name = "", ...rest]: readonly string[]): Json => {
  if (rest.length > 0) return { ...value, [name]: without(value[name] as Json, rest) };
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
};

/** The returned fields that the OpenAPI document has in the body. */
async function fieldsOf(endpoint: Endpoint): Promise<{ all: Set<string>; required: Set<string> }> {
  const document = (
    await app.http.inject({ url: "/api/openapi.json", headers: { authorization: `Bearer ${admin.token}` } })
  ).json();
  const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
  const { schema } = document.paths[path].put.requestBody.content["application/json"];
  const variants: Json[] = schema.anyOf ?? schema.oneOf ?? [schema];
  const names = (each: (variant: Json) => readonly string[]) => new Set(variants.flatMap(each));
  return {
    all: names((variant) => Object.keys(variant["properties"] as Json)),
    required: names((variant) => variant["required"] as string[]),
  };
}

test("every PUT of the contract is tried here", () => {
  assert.deepEqual(puts.map(({ name }) => name).toSorted(), Object.keys(CHANGEABLE).toSorted());
});

describe("a PUT", () => {
  for (const { name, endpoint } of puts) {
    test(`${name}: the required fields, as they were read, change nothing; a body without a field is refused or keeps it`, async () => {
      const { params, as, read, alsoRequired } = await CHANGEABLE[name]!();
      const put = (body: Json) => app.call(endpoint, { params, body, as: as.token });
      if (name in CHANGES) assert.equal((await put(CHANGES[name]!)).status, 200);
      const { all, required } = await fieldsOf(endpoint);
      if (alsoRequired !== undefined) required.add(alsoRequired);
      const { updated_at: _, ...before } = await read();
      const pick = (names: Set<string>): Json =>
        Object.fromEntries(Object.entries(before).filter(([field]) => names.has(field)));
      const isUnchanged = async (what: string) => {
        const { updated_at: __, ...now } = await read();
        assert.deepEqual(now, before, what);
      };

      const least = await put(pick(required));
      assert.equal(least.status, 200, least.text);
      await isUnchanged("after what is required");

      const whole = pick(all);
      for (const path of pathsIn(whole)) {
        const reply = await put(without(whole, path));
        const at = path.join(".");
        const isRequired = path.length > 1 || required.has(at);
        assert.equal(reply.status, isRequired ? 400 : 200, `${at}: ${reply.text}`);
        if (isRequired) {
          const { errors = [] } = reply.body as unknown as Problem;
          assert.ok(
            errors.some((each) => each.path === at),
            `${at} is named: ${reply.text}`,
          );
        }
        await isUnchanged(`without ${at}`);
      }
    });
  }

  test("a body with only a name is refused with the list of missing fields", async () => {
    const { params, as, read } = await CHANGEABLE["updateCredential"]!();
    const body = { name: "Renamed" } as never;
    const reply = await app.call(updateCredential, { params: params as never, body, as: as.token });
    assert.equal(reply.status, 400);
    const { errors = [] } = reply.body as unknown as Problem;
    assert.deepEqual(
      errors.map(({ path }) => path).toSorted(),
      ["additional_params", "connection_string", "database_name", "environment", "host", "port", "schema_name", "ssl_enabled", "type", "username"],
    ); // prettier-ignore
    assert.equal((await read())["environment"], "staging");
  });
});
