// Tests of all replies: problem details, limits, headers, API documents.
import {
  createCredential,
  listCredentials,
  login,
  readHealth,
  readLiveness,
  readReadiness,
  register,
} from "@strongroom/contract";
import type { Problem } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

let app: TestApp;
let person: TestPerson;
before(async () => {
  app = await testApp();
  person = await aPerson(app);
});
after(() => app.close());

const post = (payload: string, type = "application/json") =>
  app.http.inject({
    method: "POST",
    url: createCredential.path,
    headers: { "content-type": type, authorization: `Bearer ${person.token}` },
    payload,
  });

describe("problems", () => {
  test("API-03: a validation failure is RFC 9457 with `message` and `errors` of `path` and `msg`", async () => {
    const answer = await post(JSON.stringify({ name: "x", type: "password", value: "12345678", port: 99999 }));
    assert.equal(answer.statusCode, 400);
    assert.match(String(answer.headers["content-type"]), /^application\/problem\+json/);
    const problem: Problem = answer.json();
    assert.equal(problem.status, 400);
    assert.equal(problem.title, "Bad Request");
    assert.equal(problem.detail, problem.message);
    assert.equal(problem.request_id, answer.headers["x-request-id"]);
    assert.deepEqual(problem.errors?.map((error) => error.path).toSorted(), ["name", "port"]);
  });

  test("refuses a body that is not JSON, has another type, or is too large, with an explanation", async () => {
    assert.equal((await post("{")).json().code, "request.malformed");
    assert.equal((await post("a=b", "application/x-www-form-urlencoded")).statusCode, 415);
    assert.equal((await post(JSON.stringify({ name: "x".repeat(1_100_000) }))).statusCode, 413);
  });

  test("refuses unknown fields by name", async () => {
    const unknown = await post(JSON.stringify({ name: "name", value: "12345678", is_admin: true }));
    assert.match(unknown.body, /Unknown field: is_admin/);
  });

  test("refuses `__proto__` and `constructor` as unknown fields, also nested and escaped", async () => {
    const refused = [
      ["body", '"__proto__":{"polluted":true}'],
      ["body", '"\\u005f_proto__":null'],
      ["additional_params", '"additional_params":{"__proto__":{"polluted":true}}'],
      ["additional_params.a.0.b", '"additional_params":{"a":[{"b":{"__proto__":1}}]}'],
    ] as const;
    for (const [path, field] of refused) {
      const reply = await post(`{"name":"name","value":"12345678",${field}}`);
      assert.equal(reply.statusCode, 400, reply.body);
      assert.deepEqual(reply.json<Problem>().errors, [{ path, msg: "Unknown field: __proto__" }]);
    }
    const constructor = await post('{"name":"name","value":"12345678","constructor":{"prototype":{"polluted":true}}}');
    assert.deepEqual(constructor.json<Problem>().errors, [{ path: "body", msg: "Unknown field: constructor" }]);
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  });

  test("refuses text that cannot be stored, without an internal error", async () => {
    for (const name of ["a\u0000b", "a\ud800b"]) {
      const answer = await post(JSON.stringify({ name, value: "12345678" }));
      assert.equal(answer.statusCode, 400, answer.body);
    }
    const search = await app.call(listCredentials, { query: { search: "\u0000" }, as: person.token });
    assert.equal(search.status, 400);
  });

  test("refuses a deeply nested body, without an internal error", async () => {
    const deep = `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`;
    const answer = await post(`{"name":"name","value":"12345678","additional_params":${deep}}`);
    assert.equal(answer.statusCode, 400, answer.body.slice(0, 200));
  });

  test("validation messages never repeat the input", async () => {
    const answer = await post(JSON.stringify({ name: "name", value: "hunter2" }));
    assert.equal(answer.statusCode, 400);
    assert.ok(!answer.body.includes("hunter2"));
  });

  test("an unknown path returns problem details", async () => {
    const answer = await app.http.inject({ url: "/api/v1/nothing" });
    assert.equal(answer.statusCode, 404);
    assert.equal(answer.json().code, "endpoint.not-found");
  });
});

describe("headers", () => {
  test("every answer carries the security headers, and calls are never cached", async () => {
    for (const url of ["/api/v1/health", "/api/v1/nothing", "/api/docs"]) {
      const { headers } = await app.http.inject({ url });
      assert.match(String(headers["content-security-policy"]), /script-src 'self';.*frame-ancestors 'none'/);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.equal(headers["referrer-policy"], "no-referrer");
      assert.equal(headers["cache-control"], "no-store");
      assert.equal(headers["strict-transport-security"], undefined);
    }
  });

  test("sends HSTS behind HTTPS", async (context) => {
    const secure = await testApp({ config: { publicUrl: "https://vault.example.com" } });
    context.after(() => secure.close());
    const { headers } = await secure.http.inject({ url: "/api/v1/health" });
    assert.match(String(headers["strict-transport-security"]), /max-age=31536000/);
  });

  test("compresses a long list on request", async () => {
    for (let index = 0; index < 20; index++) {
      const body = { name: `compressible ${index}`, type: "application", value: "12345678" } as const;
      await app.call(createCredential, { body, as: person.token });
    }
    const raw = await app.http.inject({
      url: listCredentials.path,
      headers: { authorization: `Bearer ${person.token}`, "accept-encoding": "gzip" },
    });
    assert.equal(raw.headers["content-encoding"], "gzip");
  });
});

describe("limits", () => {
  test("ERR-02: a client over the limit gets 429 with Retry-After, and others continue", async (context) => {
    const limited = await testApp({ config: { rateLimit: 20 } });
    context.after(() => limited.close());
    const call = (from: string) => limited.call(readHealth, { from });
    const replies = [];
    for (let index = 0; index < 25; index++) replies.push(await call("192.0.2.1"));
    const refused = replies.filter((reply) => reply.status === 429);
    assert.equal(refused.length, 5);
    for (const reply of refused) {
      assert.ok(Number(reply.headers["retry-after"]) >= 1);
      assert.match(reply.text, /Rate limit exceeded\. Retry in \d+ seconds\./);
    }
    assert.equal((await call("192.0.2.2")).status, 200);
  });

  test("expensive public calls have a lower limit", async (context) => {
    const limited = await testApp({ config: { rateLimit: 100 } });
    context.after(() => limited.close());
    const replies = [];
    for (let index = 0; index < 7; index++) {
      replies.push(
        await limited.call(login, {
          body: { email: `x${index}@example.com`, password: "12345678" },
          from: "192.0.2.3",
        }),
      );
    }
    assert.deepEqual(
      replies.slice(5).map((reply) => reply.status),
      [429, 429],
    );
  });
});

describe("API-20, OPEN-73, OPEN-74: health", () => {
  test("health, readiness and liveness answer without a token, at both paths", async () => {
    for (const endpoint of [readHealth, readReadiness, readLiveness]) {
      for (const url of [endpoint.path, ...(endpoint.aliases ?? [])]) {
        assert.equal((await app.http.inject({ url })).statusCode, 200, url);
      }
    }
    assert.equal((await app.call(readHealth)).body.summary, "All systems operational");
  });
});

describe("documents", () => {
  const asPerson = () => ({ headers: { authorization: `Bearer ${person.token}` } });

  test("the OpenAPI 3.1 document lists every call once, with its permission and audit event", async () => {
    const { headers } = asPerson();
    const document = (await app.http.inject({ url: "/api/openapi.json", headers })).json();
    assert.equal(document.openapi, "3.1.0");
    const operations = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (path) => Object.values(path).map((operation) => operation.operationId),
    );
    assert.deepEqual(operations.toSorted(), endpoints.map((named) => named.name).toSorted());
    assert.match(document.paths["/api/v1/credentials/{id}/reveal"].post.description, /credential\.revealed/);
    const headersOf = ({ parameters }: { parameters: { in: string; name: string }[] }) =>
      parameters.filter((each) => each.in === "header").map(({ name }) => name);
    assert.deepEqual(headersOf(document.paths["/api/v1/credentials"].post), ["Idempotency-Key"]);
    assert.deepEqual(headersOf(document.paths["/api/v1/credentials/{id}/reveal"].post), []);
  });

  test("the API page has no script, lists every call and links only within itself", async () => {
    const { body } = await app.http.inject({ url: "/api/docs", ...asPerson() });
    assert.ok(!body.includes("<script"));
    for (const { name } of endpoints) assert.ok(body.includes(`id="${name}"`), name);
    assert.match(body, /<h2 id="feature-adminResets">Admin resets<\/h2>/);
    // The help page opens this page from memory, where links to the server do not work.
    for (const [, link] of body.matchAll(/href="([^"]*)"/g)) assert.match(link ?? "", /^#/);
  });

  test("require sign-in unless the setting says otherwise", async (context) => {
    for (const url of ["/api/docs", "/api/openapi.json"]) {
      assert.equal((await app.http.inject({ url })).statusCode, 401);
      assert.equal((await app.http.inject({ url, ...asPerson() })).statusCode, 200);
    }
    for (const [apiDocs, status] of [
      ["public", 200],
      ["off", 404],
    ] as const) {
      const other = await testApp({ config: { apiDocs } });
      context.after(() => other.close());
      for (const url of ["/api/docs", "/api/openapi.json"]) {
        const reply = await other.http.inject({ url });
        assert.equal(reply.statusCode, status, `${apiDocs} ${url}`);
        assert.equal(reply.body.includes("/api/v1/credentials"), status === 200);
      }
    }
  });

  test("metrics require a local client or the token", async (context) => {
    const guarded = await testApp({ config: { metricsToken: "metrics-token-0123456789" } });
    context.after(() => guarded.close());
    const from = (remoteAddress: string, headers = {}) =>
      guarded.http.inject({ url: "/metrics", remoteAddress, headers });
    assert.match((await from("127.0.0.1")).body, /strongroom_call_seconds/);
    assert.equal((await from("192.0.2.1")).statusCode, 404);
    assert.equal((await from("127.0.0.1", { "x-forwarded-for": "192.0.2.1" })).statusCode, 404);
    assert.equal((await from("192.0.2.1", { authorization: "Bearer metrics-token-0123456789" })).statusCode, 200);
    assert.equal((await from("192.0.2.1", { authorization: "Bearer metrics-token-9999999999" })).statusCode, 404);
  });
});

test("INVARIANT: with an audit event, the effect and its entry commit together", async (context) => {
  const broken = await testApp();
  context.after(() => broken.close());
  await broken.database.pool.query(
    "alter table audit_entries add constraint broken check (event <> 'user.registered') not valid",
  );
  const body = {
    email: "nobody@example.com",
    password: "a long enough password",
    setup_token: broken.config.setupToken!,
  };
  const reply = await broken.call(register, { body });
  assert.equal(reply.status, 500);
  assert.ok(!reply.text.includes("constraint"));
  const { rows } = await broken.database.pool.query("select count(*) from users");
  assert.equal(Number(rows[0].count), 0);
});
