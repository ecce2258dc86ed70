// Makes every call while another session holds a lock on a table: each gets a reply within bounded time, and never a 500.
import { readReadiness } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import { aPerson, firstAdmin } from "./people.ts";
import { sampleBody } from "./sample-bodies.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

const TABLES = ["users", "safes", "accounts", "credentials", "audit_entries", "platforms", "access_requests"];
const NOBODYS_ID = "0190c0de-0000-7000-8000-00000000dead";

/** Excludes calls that stay open, and calls that would seal the vault or write to this machine's disk. */
const walked = endpoints.filter(
  ({ name, endpoint }) => name !== "streamEvents" && endpoint.needs !== "seal.manage" && !/admin/.test(endpoint.path),
);

let own: TestDatabase;
let app: TestApp;
/** Calls about the signed-in user may end the session, so each uses a separate user; the others share one. */
const tokens = new Map<string, string>();
const endsSessions = ({ endpoint }: NamedEndpoint) =>
  endpoint.method !== "GET" && endpoint.needs !== "public" && /^\/api\/v1\/(auth|factors)\b/.test(endpoint.path);
before(async () => {
  own = await testDatabase({ lockTimeout: 150 });
  app = await testApp({ database: own });
  const { token } = await firstAdmin(app);
  for (const named of walked) tokens.set(named.name, endsSessions(named) ? (await aPerson(app, "admin")).token : token);
});
after(() => app.close());

const send = (named: NamedEndpoint) => {
  const names = [...named.endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name, NOBODYS_ID]);
  const params = {
    ...Object.fromEntries(names),
    ...(named.endpoint.path.includes("/:version/") ? { version: "1" } : {}),
  };
  return app.call(named.endpoint, { params, body: sampleBody(named), as: tokens.get(named.name) });
};

describe("while a table is locked", () => {
  for (const table of TABLES) {
    test(`${table}: calls are refused with 503 and Retry-After, and readiness answers`, async (context) => {
      const holder = new pg.Client(own.connection);
      await holder.connect();
      try {
        await holder.query(`begin; lock table ${table} in access exclusive mode`);
        const replies = await Promise.all(
          walked.map(async (named) => ({ name: named.name, reply: await send(named) })),
        );
        const refused = replies.filter(({ reply }) => reply.status >= 500);
        for (const { name, reply } of refused) {
          assert.equal(reply.status, 503, `${name}: ${reply.text}`);
          assert.match(reply.text, /"code":"database\.busy"/, name);
          assert.equal(reply.headers["retry-after"], "2", name);
        }
        context.diagnostic(`${refused.length} of ${replies.length} calls were refused`);
        assert.ok(refused.length > 0, "at least one call needs the table");
        const ready = await app.call(readReadiness);
        assert.equal(ready.status, 200, ready.text);
      } finally {
        await holder.end();
      }
    });
  }
});
