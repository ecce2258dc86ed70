// A PUT never resets an omitted field: for every PUT of the contract, each field is either required or kept.
import { readAccountDetails, readOnlyOf, updateAccount, updateCredential } from "@strongroom/contract";
import type { Endpoint, Problem } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { changeablesOf } from "./changeables.ts";
import type { Json } from "./changeables.ts";
import { aPerson, firstAdmin } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { usualPolicy } from "./sign-in-policy.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

let app: TestApp;
let admin: TestPerson;
let owner: TestPerson;
let CHANGEABLE: ReturnType<typeof changeablesOf>;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
  owner = await aPerson(app);
  CHANGEABLE = changeablesOf(app, admin, owner);
});
after(() => app.close());

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
const OTHER_ID = "00000000-0000-4000-8000-000000000000";
/** Response fields that the request body sends under another name; `read` adds the body's field. */
const DERIVED: Record<string, string> = {
  hostname_ip: "hostname",
  responsible: "responsible_user_id",
  target_type: "targetType",
  connection_method: "connectionMethod",
  credential_id: "credentialId",
  is_active: "isActive",
  scan_config: "scanConfig",
  compliance_frameworks: "complianceFrameworks",
};
const withoutDerived = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([name, each]) =>
        each !== undefined && !Object.entries(DERIVED).some(([shown, form]) => form === name && shown in value),
    ),
  );
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every path in an object, including nested ones; the contents of `additional_params` are free. */
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
  const editable = (variant: Json) =>
    Object.entries(variant["properties"] as Record<string, Json>).filter(([, field]) => field["readOnly"] !== true);
  return {
    all: names((variant) => editable(variant).map(([name]) => name)),
    required: names((variant) => variant["required"] as string[]),
  };
}

test("covers every PUT of the contract", () => {
  assert.deepEqual(puts.map(({ name }) => name).toSorted(), Object.keys(CHANGEABLE).toSorted());
});

describe("a PUT", () => {
  for (const { name, endpoint } of puts) {
    test(`${name}: unchanged required fields change nothing; an omitted field is refused or kept`, async () => {
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

  for (const { name, endpoint } of puts) {
    const readOnly = readOnlyOf(endpoint.body);
    if (readOnly === null) continue;
    test(`${name}: sending back the entity as read changes nothing; a different value of a fixed field is refused`, async () => {
      const { params, as, read } = await CHANGEABLE[name]!();
      const put = (body: Json) => app.call(endpoint, { params, body, as: as.token });
      const { updated_at, ...before } = await read();
      const entity = withoutDerived({ ...before, updated_at });
      const isUnchanged = async (what: string) => {
        const { updated_at: _, ...now } = await read();
        assert.deepEqual(now, before, what);
      };
      const reply = await put(entity);
      assert.equal(reply.status, 200, reply.text);
      await isUnchanged("after what was read");

      assert.ok(readOnly.fixed.length > 0);
      for (const field of readOnly.fixed) {
        assert.ok(field in entity, `${field} is read`);
        const refused = await put({ ...entity, [field]: OTHER_ID });
        assert.equal(refused.status, 400, `${field}: ${refused.text}`);
        const { code, errors = [] } = refused.body as unknown as Problem;
        assert.deepEqual([code, errors.map(({ path }) => path)], ["request.read-only", [field]]);
        await isUnchanged(`with another ${field}`);
      }
      const ignored = readOnly.names.filter((each) => !readOnly.fixed.includes(each) && !(each in DERIVED));
      for (const field of ignored) {
        const accepted = await put({ ...entity, [field]: "another value" });
        assert.equal(accepted.status, 200, `${field}: ${accepted.text}`);
      }
      await isUnchanged("with other values of ignored fields");
      const unknown = await put({ ...entity, no_such_field: 1 });
      assert.equal(unknown.status, 400, "other fields are still unknown");
    });
  }

  test("every entity that can be read by its id and changed by PUT can be sent back", () => {
    const gets = new Set(endpoints.flatMap(({ endpoint }) => (endpoint.method === "GET" ? [endpoint.path] : [])));
    const without = puts.filter(({ endpoint }) => gets.has(endpoint.path) && /:\w*id$/.test(endpoint.path));
    assert.ok(without.length >= 4);
    assert.deepEqual(
      without.filter(({ endpoint }) => readOnlyOf(endpoint.body) === null).map(({ name }) => name),
      [],
    );
  });

  test("an account that was read with `password: null` can be sent back", async () => {
    const { params, as } = await CHANGEABLE["updateAccount"]!();
    const id = params!["id"] as never;
    const details = (await app.call(readAccountDetails, { params: { id }, as: as.token })).body;
    const body = { ...details, password: null } as never;
    const reply = await app.call(updateAccount, { params: { id }, body, as: as.token });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.last_rotated_at, details.last_rotated_at, "no version was stored");
  });

  test("a field sent under both of its names with different values is refused", async () => {
    const { params, as, read } = await CHANGEABLE["updateAccount"]!();
    const body = { ...(await read()), hostname: "other.example.com" } as never;
    const reply = await app.call(updateAccount, { params: params as never, body, as: as.token });
    assert.equal(reply.status, 400);
    assert.match(reply.text, /"path":"hostname"/);
  });

  test("rejects a body with only a name and lists the missing fields", async () => {
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
