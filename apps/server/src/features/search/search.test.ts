// Tests the global search: it finds everything that the caller may see and nothing else, and offers only the actions
// that the caller may take.
import {
  AccountEdit,
  createAccessRequest,
  createMachine,
  createSafe,
  createToken,
  moveAccount,
  readRecent,
  searchEverywhere,
  updateAccount,
} from "@strongroom/contract";
import type { SearchResult } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

async function found(who: TestPerson, search: string): Promise<SearchResult[]> {
  const reply = await app.call(searchEverywhere, { query: { search }, as: who.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.results;
}

const named = (results: readonly SearchResult[]) => results.map(({ kind, title }) => `${kind} ${title}`);

describe("OPEN-28, SHELL-18: the search", () => {
  test("finds objects of every kind by name, host, user name and address, if the caller may see them", async () => {
    const [admin, owner, stranger] = [await firstAdmin(app), await aPerson(app), await aPerson(app)];
    const platform = await aPlatform(app, { name: "Quokka platform", approvals_level_1: 1 });
    const safe = await aSafe(app, owner, { name: "Quokka safe" });
    const account = await anAccount(app, owner, safe, {
      name: "Quokka root",
      hostname: "quokka7.example.com",
      username: "quokkaadm",
      platform_id: platform.id,
    });
    await aCredential(app, owner, { name: "Quokka own" });
    await aGroup(app, [], { name: "Quokka people" });
    const body = { resource: account.name, account_id: account.id, reason: "To feed it" };
    assert.equal((await app.call(createAccessRequest, { body, as: owner.token })).status, 201);

    const everything = [
      "access-request Quokka root",
      "account Quokka root",
      "credential Quokka own",
      "group Quokka people",
      "host quokka7.example.com",
      "platform Quokka platform",
      "safe Quokka safe",
    ];
    const without = (...kinds: string[]) => everything.filter((each) => !kinds.some((kind) => each.startsWith(kind)));
    assert.deepEqual(named(await found(owner, "quokka")).toSorted(), without("group"));
    assert.deepEqual(named(await found(admin, "QUOKKA")).toSorted(), without("credential"));
    assert.deepEqual(named(await found(stranger, "quokka")), ["platform Quokka platform"]);
    for (const text of ["quokka7.example", "quokkaadm", "UOKKA ROO"]) {
      assert.ok(named(await found(owner, text)).includes("account Quokka root"), text);
      assert.deepEqual(named(await found(stranger, text)), [], text);
    }
  });

  test("finds machine identities by name and description, but only for administrators", async () => {
    const [admin, manager] = [await firstAdmin(app), await aPerson(app, "manager")];
    const fields = { name: "Bandicoot pipeline", description: "Deploys the potoroo", responsible_user_id: admin.id };
    const made = await app.call(createMachine, { body: fields, as: admin.token });
    assert.equal(made.status, 201, made.text);
    for (const text of ["bandicoot", "potoroo"]) {
      assert.deepEqual(named(await found(admin, text)), ["machine-identity Bandicoot pipeline"], text);
      assert.deepEqual(await found(manager, text), [], text);
    }
    const items = `machine-identity:${made.body.id}`;
    const again = async (who: TestPerson) => (await app.call(readRecent, { query: { items }, as: who.token })).body;
    assert.deepEqual(named((await again(admin)).results), ["machine-identity Bandicoot pipeline"]);
    assert.deepEqual((await again(manager)).results, []);
  });

  test("finds other users, but only for managers and administrators", async () => {
    const [manager, user, sought] = [await aPerson(app, "manager"), await aPerson(app), await aPerson(app)];
    assert.deepEqual(
      (await found(manager, sought.email)).map(({ kind, id }) => [kind, id]),
      [["user", sought.id]],
    );
    assert.deepEqual(await found(user, sought.email), []);
  });

  test("ranks an exact name first among a thousand names with the same prefix", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const { id } = await anAccount(app, owner, safe, { name: "wombat" });
    await app.database.pool.query(
      `insert into credentials (id, safe_id, name, type, username, host, environment, ssl_enabled, additional_params,
         secret_version, verification_status, created_at, updated_at, search_text, search_keys)
       select gen_random_uuid(), safe_id, 'wombat ' || n, type, username, host, environment, false, '{}', 1, 'pending',
         now() + n * interval '1 second', now(), 'wombat ' || n || E'\\n\\n', search_keys
       from credentials, generate_series(1, 1000) n where id = $1`,
      [id],
    );
    await app.database.pool.query(
      `insert into accounts (id, platform_id, system_type, connection_method, status, rotated_at, created_by)
       select stored.id, platform_id, system_type, connection_method, accounts.status, now(), created_by
       from credentials stored, accounts where accounts.id = $1 and stored.name like 'wombat %'`,
      [id],
    );
    const results = await found(owner, "wombat");
    assert.equal(results[0]?.id, id);
    assert.equal(results.filter(({ kind }) => kind === "account").length, 6);
  });

  test("INVARIANT: an API token finds only the kinds that its scopes let it list", async () => {
    const admin = await firstAdmin(app);
    const sought = await aPerson(app, "user");
    await aPlatform(app, { name: `Numbat for ${sought.email}` });
    const holding = async (...scopes: ("search.use" | "platform.read" | "user.list")[]) => {
      const body = { name: "A finder", scopes, expires_in_days: 1 };
      const made = await app.call(createToken, { body, as: admin.token });
      assert.equal(made.status, 201, made.text);
      return { ...admin, token: made.body.token };
    };
    const kinds = async (who: TestPerson) => (await found(who, sought.email)).map(({ kind }) => kind).toSorted();
    assert.deepEqual(await kinds(await holding("search.use")), []);
    assert.deepEqual(await kinds(await holding("search.use", "platform.read")), ["platform"]);
    assert.deepEqual(await kinds(await holding("search.use", "platform.read", "user.list")), ["platform", "user"]);
    const items = `user:${sought.id}`;
    const again = async (who: TestPerson) => (await app.call(readRecent, { query: { items }, as: who.token })).body;
    assert.deepEqual((await again(await holding("search.use"))).results, []);
    assert.equal((await again(await holding("search.use", "user.list"))).results.length, 1);
  });

  test("finds names that contain all words of the search, in any order", async () => {
    const [admin, owner] = [await firstAdmin(app), await aPerson(app)];
    const safe = await aSafe(app, owner, { name: "Wallaby tier" });
    await anAccount(app, owner, safe, {
      name: "root on wallaby-prod-01",
      hostname: "w1.example.com",
      username: "root",
    });
    await aCredential(app, owner, { name: "Wallaby console of Sydney" });
    const platform = await aPlatform(app, { name: "Wallaby hosts over SSH" });
    await aGroup(app, [], { name: "Wallaby night shift" });
    const account = "account root on wallaby-prod-01";
    for (const text of [
      "root wallaby-prod",
      "wallaby-prod root",
      "w1.example  root",
      "prod tier root",
      "TIER wallaby-prod",
    ])
      assert.ok(named(await found(owner, text)).includes(account), text);
    assert.deepEqual(named(await found(owner, "root wallaby-staging")), []);
    assert.deepEqual(named(await found(owner, "sydney wallaby")), ["credential Wallaby console of Sydney"]);
    assert.deepEqual(named(await found(owner, "tier wallaby"))[0], "safe Wallaby tier");
    assert.deepEqual(named(await found(admin, "ssh wallaby")), [`platform ${platform.name}`]);
    assert.deepEqual(named(await found(admin, "shift wallaby")), ["group Wallaby night shift"]);
  });

  test("rejects an empty text and takes wildcard characters literally", async () => {
    const person = await aPerson(app);
    for (const search of ["", "  ", "x".repeat(101)]) {
      const reply = await app.call(searchEverywhere, { query: { search }, as: person.token });
      assert.equal(reply.status, 400, search);
    }
    await aCredential(app, person, { name: "100% sure_" });
    for (const search of ["%", "_", "0% s", "\\"]) {
      assert.deepEqual(named(await found(person, search)), search === "\\" ? [] : ["credential 100% sure_"], search);
    }
  });
});

describe("the actions of a search result", () => {
  test("a member who may use an SSH account can connect, and a member who may only list it cannot", async () => {
    const [owner, user, lister] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, user, ["list", "use"]);
    await aMember(app, owner, safe, lister, ["list"]);
    const platform = await aPlatform(app, { system_type: "Linux", connection_method: "SSH" });
    const fields = { system_type: "Linux", connection_method: "SSH", platform_id: platform.id } as const;
    await anAccount(app, owner, safe, { ...fields, name: "Kowari root", hostname: "kowari.example.com" });
    const offered = async (who: TestPerson) =>
      (await found(who, "kowari root")).find(({ kind }) => kind === "account")?.can;
    assert.deepEqual(await offered(owner), ["copy", "connect", "verify", "rotate"]);
    assert.deepEqual(await offered(user), ["connect", "request"]);
    assert.deepEqual(await offered(lister), ["request"]);
  });

  test("offers only the actions that the caller may take now", async () => {
    const [owner, member, admin] = [await aPerson(app), await aPerson(app), await firstAdmin(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, member, ["list"]);
    const fields = { name: "Numbat root", hostname: "numbat.example.com" };
    const account = await anAccount(app, owner, safe, fields);
    const offered = async (who: TestPerson) =>
      (await found(who, "numbat root")).find(({ kind }) => kind === "account")?.can;
    assert.deepEqual(await offered(owner), ["copy", "verify", "rotate"]);
    assert.deepEqual(await offered(member), ["request"]);
    assert.deepEqual(await offered(admin), ["request"]);
    const { name, hostname, ...rest } = { ...account, ...fields };
    const body = {
      name,
      hostname,
      username: rest.username,
      platform_id: rest.platform_id,
      system_type: rest.system_type,
      connection_method: rest.connection_method,
      status: "disabled" as const,
    };
    const disabled = await app.call(updateAccount, {
      params: { id: account.id },
      body: AccountEdit.parse(body),
      as: owner.token,
    });
    assert.equal(disabled.status, 200, disabled.text);
    assert.deepEqual(await offered(member), []);
    assert.deepEqual(await offered(owner), ["verify", "rotate"]);
  });
});

describe("recent items", () => {
  test("items have their current names, and items that the caller may no longer see are left out", async () => {
    const owner = await aPerson(app);
    const [seen, hidden] = [await aSafe(app, owner), await aPerson(app)];
    const foreign = await app.call(createSafe, { body: { name: "Foreign" }, as: hidden.token });
    const account = await anAccount(app, owner, seen, { name: "Bilby" });
    const recent = (items: string, who = owner) => app.call(readRecent, { query: { items }, as: who.token });
    const items = [`account:${account.id}`, `safe:${foreign.body.id}`, `safe:${seen.id}`, `user:${hidden.id}`].join();
    assert.deepEqual(named((await recent(items)).body.results), ["account Bilby", `safe ${seen.name}`]);
    const params = { id: account.id };
    const elsewhere = await aSafe(app, owner);
    assert.equal(
      (await app.call(moveAccount, { params, body: { safe_id: elsewhere.id }, as: owner.token })).status,
      200,
    );
    assert.match((await recent(items)).body.results[0]!.detail, new RegExp(elsewhere.name));
    assert.deepEqual((await recent(items, await aPerson(app))).body.results, []);
    for (const wrong of ["", "account", "account:1", `thing:${seen.id}`, Array(9).fill(`safe:${seen.id}`).join()]) {
      assert.equal((await recent(wrong)).status, 400, wrong);
    }
  });
});
