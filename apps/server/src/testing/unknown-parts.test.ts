// Tests that every call of the contract refuses unknown parts of a request by name.
import { listAuditEntries, pathOf } from "@strongroom/contract";
import type { Problem } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { firstAdmin } from "./people.ts";
import { sampleBody } from "./sample-bodies.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

/** Load balancers and monitors add their own parameters to probes. Add new calls here deliberately. */
const LENIENT = ["readHealth", "readLiveness", "readReadiness"];
const NOBODYS_ID = "0190c0de-0000-7000-8000-00000000dead";

let app: TestApp;
let admin: string;
before(async () => {
  app = await testApp();
  admin = (await firstAdmin(app)).token;
});
after(() => app.close());

async function send({ endpoint }: NamedEndpoint, query: string, body: unknown) {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => [name, NOBODYS_ID]);
  const params = { ...Object.fromEntries(names), ...(endpoint.path.includes("/:version/") ? { version: "1" } : {}) };
  const hasBody = body !== undefined && endpoint.method !== "GET";
  const reply = await app.http.inject({
    method: endpoint.method,
    url: `${pathOf(endpoint.path, params)}${query}`,
    headers: { authorization: `Bearer ${admin}`, ...(hasBody ? { "content-type": "application/json" } : {}) },
    ...(hasBody ? { payload: JSON.stringify(body) } : {}),
  });
  return { status: reply.statusCode, text: reply.body, problem: () => reply.json<Problem>() };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

describe("an unknown query parameter", () => {
  test("is ignored only by monitoring calls", () => {
    const lenient = endpoints.filter(({ endpoint }) => endpoint.ignoresUnknownQuery === true);
    assert.deepEqual(lenient.map(({ name }) => name).toSorted(), LENIENT);
  });

  for (const named of endpoints) {
    const isLenient = LENIENT.includes(named.name);
    test(`${named.name} ${isLenient ? "ignores" : "refuses"} an unknown parameter`, async () => {
      const reply = await send(named, "?no_such_name=1", sampleBody(named));
      if (isLenient) return assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(reply.problem().errors, [{ path: "no_such_name", msg: "Unknown query parameter" }]);
    });
  }

  test("is refused with the names that the call accepts, and the reply repeats only a short part of it", async () => {
    const named = endpoints.find(({ endpoint }) => endpoint === listAuditEntries)!;
    const reply = await send(named, `?serch=x&${"n".repeat(5000)}=1`, undefined);
    assert.match(reply.problem().message, /Unknown query parameter: serch, n+\. This call accepts .*search/);
    assert.ok(reply.text.length < 2000, reply.text);
  });
});

describe("an unknown field", () => {
  for (const named of endpoints.filter(({ endpoint }) => endpoint.method !== "GET")) {
    const sample = sampleBody(named) ?? {};
    if (!isObject(sample)) continue;
    test(`${named.name} refuses an unknown field`, async () => {
      const reply = await send(named, "", { ...sample, no_such_name: 1 });
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.problem().message, /no_such_name/);
      const prototype = await send(named, "", { ...sample, ["__proto__"]: 1 });
      assert.equal(prototype.status, 400, prototype.text);
      assert.match(prototype.problem().message, /Unknown field: __proto__/);
    });
  }
});
