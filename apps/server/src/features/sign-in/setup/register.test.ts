// Tests of sign-up: the first administrator and all later users.
import { entrance, listUsers, updateSignInPolicy } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { firstAdmin } from "#testing/people.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import {
  PASSWORD,
  SETUP_TOKEN,
  anotherProcess,
  codeOf,
  entriesOf,
  hashesOf,
  newEmail,
  statusesOf,
  signedIn,
  tryToSignIn,
  trySignUp,
} from "../testing/attempts.ts";

const rolesOf = async (app: TestApp): Promise<string[]> =>
  (await app.database.pool.query<{ role: string }>("select role from users order by id")).rows.map((row) => row.role);

describe("the first administrator", () => {
  test("OPEN-17: before the first user exists, registration needs the setup token and computes no hash without it", async () => {
    const app = await testApp();
    assert.deepEqual((await app.call(entrance)).body, {
      needs_setup: true,
      sign_up_open: true,
      mail_configured: false,
    });
    for (const [token, code] of [
      [undefined, "setup.token-required"],
      ["", "setup.token-required"],
      ["wrong", "setup.token-wrong"],
      [`${SETUP_TOKEN} `, "setup.token-wrong"],
    ] as const) {
      const reply = await trySignUp(app, { role: "admin", ...(token === undefined ? {} : { setup_token: token }) });
      assert.equal(reply.status, 403);
      assert.equal(codeOf(reply), code);
    }
    assert.equal(await hashesOf(app), 0);
    assert.deepEqual(await rolesOf(app), []);
    await app.close();
  });

  test("OPEN-17: registering with the setup token creates an administrator and invalidates the token", async () => {
    const app = await testApp();
    const email = newEmail();
    const reply = await trySignUp(app, { email, role: "user", setup_token: SETUP_TOKEN });
    assert.equal(reply.status, 201);
    assert.equal(reply.body.code, "account.created-as-admin");
    assert.equal((await app.call(listUsers, { as: await signedIn(app, email) })).status, 200);
    assert.equal((await app.call(entrance)).body.needs_setup, false);
    assert.equal((await trySignUp(app, { setup_token: SETUP_TOKEN })).body.code, "account.created");
    assert.deepEqual(await rolesOf(app), ["admin", "user"]);
    await app.close();
  });

  test("exactly one of many concurrent first registrations, on two processes, becomes an administrator", async () => {
    const app = await testApp();
    const other = await anotherProcess(app);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, each) => trySignUp(each % 2 === 0 ? app : other, { setup_token: SETUP_TOKEN })),
    );
    for (const reply of replies) assert.equal(reply.status, 201, reply.text);
    assert.equal(replies.filter((reply) => reply.body.code === "account.created-as-admin").length, 1);
    assert.deepEqual((await rolesOf(app)).toSorted(), ["admin", ...Array<string>(7).fill("user")]);
    await other.stopOnly();
    await app.close();
  });

  test("without a configured token, each start prints a new link, and only the newest works", async () => {
    const app = await testApp({ config: { setupToken: null, publicUrl: "https://vault.example.com" } });
    const tokenOf = (link: string | null) => {
      const match = /^https:\/\/vault\.example\.com\/signup#setup_token=([\w-]{32})$/.exec(link ?? "");
      assert.ok(match, "the token stands behind the #, where no server and no log sees it");
      return match[1] ?? "";
    };
    const older = tokenOf(await app.setupLink());
    const newer = tokenOf(await app.setupLink());
    const { rows } = await app.database.pool.query("select encode(token_hash, 'escape') as stored from sign_in_setup");
    assert.equal(rows.length, 1);
    assert.ok(!rows[0].stored.includes(newer));
    assert.equal(codeOf(await trySignUp(app, { setup_token: older })), "setup.token-wrong");
    assert.equal((await trySignUp(app, { setup_token: newer })).body.code, "account.created-as-admin");
    assert.equal(await app.setupLink(), null);
    await app.close();
  });
});

describe("later registrations", () => {
  let app: TestApp;
  before(async () => {
    app = await testApp();
    await firstAdmin(app);
  });
  after(() => app.close());

  test("AUTH-36, API-02, API-03, SIGNUP-13: create a user from email and password without signing them in", async () => {
    const email = newEmail();
    const reply = await trySignUp(app, { email });
    assert.equal(reply.status, 201);
    assert.deepEqual(reply.body, {
      message: "Account created successfully! Please sign in with your new credentials.",
      code: "account.created",
    });
    assert.equal(reply.headers["set-cookie"], undefined);
    assert.equal((await tryToSignIn(app, email)).status, 200);
  });

  for (const role of ["Manager", "admin"]) {
    test(`OPEN-18, SIGNUP-10, SIGNUP-12: with role ${role} create a user with a role request for an administrator`, async () => {
      const email = newEmail();
      const reply = await trySignUp(app, { email, role });
      assert.equal(reply.body.code, "account.created-role-requested");
      const admin = await firstAdmin(app);
      const { body } = await app.call(listUsers, { query: { search: email }, as: admin.token });
      const [user] = body.data;
      assert.deepEqual([user?.role, user?.requested_role], ["user", role.toLowerCase()]);
      const token = await signedIn(app, email);
      assert.equal((await app.call(listUsers, { as: token })).status, 403);
    });
  }

  test("SIGNUP-18: are refused with the specified message for a taken address, in any spelling", async () => {
    const email = newEmail();
    await trySignUp(app, { email });
    const hashes = await hashesOf(app);
    for (const again of [email, ` ${email.toUpperCase()} `]) {
      const reply = await trySignUp(app, { email: again });
      assert.equal(reply.status, 409);
      assert.equal(codeOf(reply), "account.exists");
      const { message } = reply.body as { message: string };
      assert.equal(message, "An account with this email already exists. Please try signing in instead.");
    }
    assert.equal(await hashesOf(app), hashes);
  });

  test("succeed once when two concurrent registrations use the same address", async () => {
    const email = newEmail();
    const replies = await Promise.all([
      trySignUp(app, { email }),
      trySignUp(app, { email, password: "another password" }),
    ]);
    assert.deepEqual(statusesOf(replies), [201, 409]);
  });

  test("AUTH-46, SIGNUP-07, SIGNUP-08: list validation errors with `path` and `msg`", async () => {
    const reply = await trySignUp(app, { email: "not an address", password: "short" });
    assert.equal(reply.status, 400);
    assert.deepEqual((reply.body as { errors?: unknown }).errors, [
      { path: "email", msg: "Please enter a valid email address." },
      { path: "password", msg: "Password must be at least 8 characters." },
    ]);
    assert.ok(!reply.text.includes("short"));
  });

  test('AUTH-24: keep a trimmed name, which defaults to the part of the address before the "@"', async () => {
    const named = newEmail();
    const unnamed = newEmail();
    await trySignUp(app, { email: named, name: "  Ada Lovelace " });
    await trySignUp(app, { email: unnamed });
    const { rows } = await app.database.pool.query("select name from users where email in ($1, $2) order by id", [
      named,
      unnamed,
    ]);
    assert.deepEqual(rows, [{ name: "Ada Lovelace" }, { name: unnamed.split("@")[0] }]);
  });

  test("are refused while sign-up is closed, without computing a hash or revealing addresses", async () => {
    const admin = await firstAdmin(app);
    await app.call(updateSignInPolicy, { body: { ...usualPolicy, sign_up: "closed" }, as: admin.token });
    const hashes = await hashesOf(app);
    for (const email of [newEmail(), admin.email]) {
      const reply = await trySignUp(app, { email });
      assert.equal(reply.status, 403);
      assert.equal(codeOf(reply), "sign-up.closed");
    }
    assert.equal(await hashesOf(app), hashes);
    assert.equal((await app.call(entrance)).body.sign_up_open, false);
    await app.call(updateSignInPolicy, { body: usualPolicy, as: admin.token });
  });

  test("are audited with the requested role and without the password", async () => {
    const email = newEmail();
    await trySignUp(app, { email, role: "admin" });
    const entry = (await entriesOf(app, "user.registered")).find((each) => each.target?.["name"] === email);
    assert.equal(entry?.result, "success");
    assert.equal(entry.actor["role"], "user");
    assert.deepEqual(entry.details, { role: "user", requested_role: "admin", status: "pending" });
    assert.ok(!app.logLines.join("").includes(PASSWORD));
  });
});
