// Tests of signing in with a directory's password, against a real OpenLDAP server.
import { signInToDirectory } from "@strongroom/connectors";
import {
  aContext,
  makeAuthority,
  needs,
  openldapAvailable,
  opensslAvailable,
  startOpenldap,
} from "@strongroom/connectors/testing";
import type { Authority, OpenldapServer } from "@strongroom/connectors/testing";
import {
  LdapSettings,
  changePassword,
  completePasswordReset,
  createIdentityProvider,
  currentSession,
  deleteIdentityProvider,
  issueResetLink,
  listUsers,
  login,
  readOwnProfile,
  testIdentityProvider,
  unlockUser,
  updateIdentityProvider,
} from "@strongroom/contract";
import type { IdentityProvider, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { codeAt, secondStep, withApp } from "#features/factors/testing/with-factors.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

type Body = Extract<NonNullable<InputOf<typeof createIdentityProvider>["body"]>, { kind: "ldap" }>;
type Name = "alice" | "bela" | "cora" | "dunja" | "emil" | "fay" | "gil" | "must-change" | "local";

const group = (name: string, ...members: string[]) =>
  [
    `dn: cn=${name},ou=groups,dc=corp,dc=test`,
    "objectClass: groupOfNames",
    `cn: ${name}`,
    ...members.map((member) => `member: uid=${member},ou=people,dc=corp,dc=test`),
  ].join("\n");

const mail = (name: string) => [`mail: ${name}@corp.example`];

describe("signing in with the password of a directory", needs(openldapAvailable(), opensslAvailable()), () => {
  let app: TestApp;
  let authority: Authority;
  let directory: OpenldapServer<Name>;
  let admin: string;
  let row: IdentityProvider;
  /** The clock is fixed, so that no wait ends while a slow machine works. */
  const start = new Date();

  const body = (): Body => ({
    kind: "ldap",
    name: "The directory",
    is_enabled: true,
    creates_people: true,
    links_by_email: false,
    without_group: "user",
    role_mappings: [],
    domains: [],
    settings: LdapSettings.parse({
      url: `ldaps://127.0.0.1:${directory.tlsPort}`,
      ca: authority.certificate,
      bind_dn: directory.helpdesk.dn,
      base_dn: `ou=people,${directory.suffix}`,
      group_base_dn: `ou=groups,${directory.suffix}`,
    }),
  });

  before(async () => {
    authority = await makeAuthority();
    directory = await startOpenldap<Name>({
      certificate: await authority.issue(["127.0.0.1"]),
      users: {
        alice: mail("alice"),
        bela: mail("bela"),
        cora: mail("cora"),
        dunja: [],
        emil: mail("emil"),
        fay: mail("fay"),
        gil: mail("gil"),
        "must-change": [...mail("must-change"), "pwdReset: TRUE"],
        local: mail("local"),
      },
      ldif: [
        "dn: ou=groups,dc=corp,dc=test\nobjectClass: organizationalUnit\nou: groups",
        group("ops", "alice", "bela"),
        group("admins", "bela"),
        group("outer", "cora"),
      ].join("\n\n"),
    });
    app = await testApp({ config: { publicUrl: "https://strongroom.example" }, clock: { now: () => start } });
    admin = (await firstAdmin(app)).token;
    const made = await app.call(createIdentityProvider, {
      body: { ...body(), secret: directory.helpdesk.password },
      as: admin,
    });
    assert.equal(made.status, 201, made.text);
    row = made.body;
  });
  after(async () => {
    await app?.close();
    await directory?.stop();
  });
  beforeEach(() => set({}));

  async function set(change: Partial<Body>, settings: Partial<Body["settings"]> = {}, secret?: string): Promise<void> {
    const { settings: usual, ...rest } = { ...body(), ...change };
    const changed = { ...rest, settings: { ...usual, ...settings }, ...(secret === undefined ? {} : { secret }) };
    const reply = await app.call(updateIdentityProvider, { params: { id: row.id }, body: changed, as: admin });
    assert.equal(reply.status, 200, reply.text);
  }

  let address = 0;
  /** Uses a new address each time, so that tests do not slow each other down. */
  const tryIn = (email: string, password: string, from = `192.0.2.${(address += 1)}`) =>
    app.call(login, { body: { email, password }, from });

  async function whoIs(email: string, password: string) {
    const reply = await tryIn(email, password);
    assert.equal(reply.status, 200, reply.text);
    return (await app.call(currentSession, { as: reply.body.token })).body.user;
  }

  const refusedWith = (reply: { status: number; body: unknown; text: string }, status: number, code: string) =>
    assert.deepEqual([reply.status, (reply.body as { code?: string }).code], [status, code], reply.text);

  const sameFor = (text: string): unknown => {
    const { request_id: _different, ...same } = JSON.parse(text) as Record<string, unknown>;
    return same;
  };

  test("the first sign-in creates a user, who is then found by user name and by email, ignoring case", async () => {
    const { username, password } = directory.users.alice;
    const first = await whoIs(username, password);
    assert.deepEqual([first.email, first.name, first.role], ["alice@corp.example", "alice", "user"]);
    assert.equal((await whoIs("alice@corp.example", password)).id, first.id);
    assert.equal((await whoIs(" ALICE ", password)).id, first.id);
  });

  test("StartTLS works like TLS", async () => {
    const { username, password } = directory.users.alice;
    await set({}, { url: `ldap://127.0.0.1:${directory.port}` }, directory.helpdesk.password);
    assert.equal((await whoIs(username, password)).email, "alice@corp.example");
    await set({}, {}, directory.helpdesk.password);
  });

  test("users get the highest role of their groups, matched by distinguished name or by name, and are refused without a mapped group", async () => {
    const { alice, bela, cora } = directory.users;
    const role_mappings = [
      { group: "CN=Ops, OU=groups, DC=corp, DC=test", role: "manager" as const },
      { group: "admins", role: "admin" as const },
    ];
    await set({ role_mappings, without_group: "refuse" });
    assert.equal((await whoIs(alice.username, alice.password)).role, "manager");
    assert.equal((await whoIs(bela.username, bela.password)).role, "admin");
    refusedWith(await tryIn(cora.username, cora.password), 403, "sign-in.no-group");
    refusedWith(await tryIn(cora.username, "not their password"), 401, "sign-in.refused");
  });

  test("RFC 4515: special characters in a user name are escaped in the LDAP filter", async () => {
    const { password } = directory.users.alice;
    for (const name of ["*", "alice)(uid=*", "*)(objectClass=*", "alice\\"]) {
      refusedWith(await tryIn(name, password), 401, "sign-in.refused");
    }
    const { settings } = body();
    const plain = {
      url: settings.url,
      ca: authority.certificate,
      searcher: directory.helpdesk,
      baseDn: settings.base_dn,
      userFilter: "(uid={name})",
      idAttribute: "entryUUID",
      emailAttribute: "mail",
      nameAttribute: "cn",
      groupBaseDn: null,
      groupFilter: "(member={dn})",
    };
    for (const name of ["*", "al*", "alice)(uid=*", "*)(objectClass=*", "alice\\", "a\\2a", "\u0000", "(", "ali\nce"]) {
      assert.deepEqual(await signInToDirectory(plain, { name, password }, aContext()), { outcome: "refused" }, name);
    }
    // RFC 4513 §5.1.2: this server accepts a bind with any name and no password.
    assert.deepEqual(await signInToDirectory(plain, { name: "alice", password: "" }, aContext()), {
      outcome: "refused",
    });
    assert.equal((await signInToDirectory(plain, { name: "alice", password }, aContext())).outcome, "found");
  });

  test("an empty password is refused without asking the directory", async () => {
    assert.equal((await tryIn("alice", "")).status, 400);
  });

  test("a wrong password, an unknown name and a local user get the same reply and the same delays", async () => {
    const local = await aPerson(app);
    const answers: unknown[] = [];
    for (const name of ["emil", "nobody-of-that-name", "nobody@corp.example", local.email]) {
      const from: string = `198.51.100.${answers.length + 1}`;
      const replies = [];
      for (let count = 0; count < 7; count += 1) replies.push(await tryIn(name, "wrong", from));
      answers.push(replies.map(({ status, text }) => [status, sameFor(text)]));
      assert.equal(replies.at(-1)!.status, 429);
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    const respelled = await tryIn("ＥＭＩＬ", "wrong");
    assert.equal(respelled.status, 429, "another spelling of the same name is the same name");
  });

  test("a local user's password is never tried in the directory, which could lock their directory account", async () => {
    const { id } = await whoIs("cora", directory.users.cora.password);
    assert.ok(id);
    const local = await aPerson(app);
    await app.database.pool.query("update users set email = 'local@corp.example' where id = $1", [local.id]);
    const { password } = directory.users.local;
    for (const links_by_email of [true, false]) {
      await set({ links_by_email });
      for (let count = 0; count < 2; count += 1)
        refusedWith(await tryIn("local@corp.example", password), 401, "sign-in.refused");
    }
    assert.equal((await whoIs("local@corp.example", local.password)).id, local.id);
    // Four wrong binds would have locked the directory account, so this shows that none happened. The address belongs to a local
    // user, which is the only reason for this refusal.
    refusedWith(await tryIn("local", password), 403, "sign-in.account-exists");
    await set({ links_by_email: true });
    assert.equal((await whoIs("local", password)).id, local.id, "taken over by their name there alone");
    assert.equal((await whoIs("local@corp.example", password)).id, local.id);
    refusedWith(await tryIn("local@corp.example", local.password), 401, "sign-in.refused");
  });

  test("guesses by name and by address count together, and do not slow down the user's known networks", async () => {
    const { username, password } = directory.users.bela;
    const home = "203.0.113.50";
    const atHome = async () => assert.equal((await tryIn("bela@corp.example", password, home)).status, 200);
    await atHome();
    // The directory locks an account after three wrong passwords in a row.
    for (const names of [[username, "bela@corp.example"], [username, "bela@corp.example"], [username]]) {
      for (const name of names) refusedWith(await tryIn(name, "wrong"), 401, "sign-in.refused");
      await atHome();
    }
    for (const name of [username, "bela@corp.example"])
      refusedWith(await tryIn(name, password), 401, "sign-in.refused");
    await atHome();
  });

  test("guesses under other spellings of one name, which the directory accepts, count together", async () => {
    const { username, password } = directory.users.gil;
    const atHome = async () => assert.equal((await tryIn("gil@corp.example", password, "203.0.113.70")).status, 200);
    await atHome();
    const upper = username.toUpperCase();
    // The directory locks an account after three wrong passwords in a row.
    for (const spellings of [[upper, ` ${username}`], [`${username} `, ` ${upper} `], [username]]) {
      for (const name of spellings) assert.notEqual((await tryIn(name, "wrong")).status, 200);
      await atHome();
    }
    assert.notEqual((await tryIn(upper, password)).status, 200, "even the right password");
    await atHome();
  });

  test("a directory user whose sign-in is slowed down is shown as such, and an administrator can unlock them", async () => {
    const { username, password } = directory.users.fay;
    const address = "fay@corp.example";
    const atHome = async () => assert.equal((await tryIn(address, password, "203.0.113.60")).status, 200);
    await atHome();
    // The separate counts of name and address stay below the limit; only their shared count exceeds it.
    for (const names of [[username, address], [username, address], [username]]) {
      for (const name of names) refusedWith(await tryIn(name, "wrong"), 401, "sign-in.refused");
      await atHome();
    }
    refusedWith(await tryIn(username, password), 401, "sign-in.refused");
    const found = await app.call(listUsers, { query: { search: address }, as: admin });
    const [person] = found.body.data;
    assert.notEqual(person!.slowed_down_until, null);
    const reply = await app.call(unlockUser, { params: { id: person!.id }, as: admin });
    assert.deepEqual([reply.status, reply.body.slowed_down_until], [200, null], reply.text);
    for (const name of [username, address]) assert.equal((await tryIn(name, password)).status, 200, name);
  });

  test("OPEN-10: a user with a second factor here must use it after the directory's password", async () => {
    const { username, password } = directory.users.cora;
    const first = await tryIn(username, password);
    const { key } = await withApp(app, { token: first.body.token! });
    const reply = await tryIn("cora@corp.example", password);
    assert.deepEqual(Object.keys(reply.body), ["second_step"], reply.text);
    assert.deepEqual(reply.body.second_step!.kinds, ["totp", "recovery"]);
    const done = await secondStep(app, reply.body.second_step!, { kind: "totp", code: codeAt(app, key) });
    assert.equal(done.status, 200, done.text);
    assert.equal((await app.call(readOwnProfile, { as: done.body.token })).body.signed_in_by, "ldap");
  });

  test("a correct password is refused with a reason when it must be changed, or when the directory has no email address", async () => {
    const { "must-change": must, dunja } = directory.users;
    refusedWith(await tryIn("must-change", must.password), 403, "sign-in.password-must-change");
    refusedWith(await tryIn("must-change", "wrong"), 401, "sign-in.refused");
    refusedWith(await tryIn("dunja", dunja.password), 403, "sign-in.no-email");
  });

  test("a directory user's password cannot be changed or reset here", async () => {
    const { password } = directory.users.alice;
    const signedIn = await tryIn("alice", password);
    const as = signedIn.body.token!;
    const { id } = (await app.call(currentSession, { as })).body.user;
    const own = await app.call(changePassword, {
      body: { current_password: password, new_password: "another password" },
      as,
    });
    refusedWith(own, 409, "password.elsewhere");
    assert.match(own.text, /signs in through The directory/);
    refusedWith(await app.call(issueResetLink, { params: { id }, as: admin }), 409, "password.elsewhere");
    const stored =
      "insert into sign_in_resets (user_id, token_hash, token_expires_at) values ($1, sha256($2::bytea), now() + interval '1 day 1 hour')";
    await app.database.pool.query(stored, [id, "a-token-from-before-that-is-long"]);
    const link = { token: "a-token-from-before-that-is-long", password: "another password" };
    refusedWith(await app.call(completePasswordReset, { body: link }), 409, "password.elsewhere");
  });

  test("testing a provider reports whether each step succeeded", async () => {
    const ask = async (username?: string) =>
      (await app.call(testIdentityProvider, { params: { id: row.id }, body: { username }, as: admin })).body;
    await set({ role_mappings: [{ group: "ops", role: "manager" }] });
    const whole = await ask("bela");
    assert.equal(whole.is_good, true, JSON.stringify(whole));
    assert.match(whole.steps.at(-1)!.text, /Member of 2 groups\. The role would be manager/);
    assert.match((await ask("nobody")).steps.at(-1)!.text, /Found no user, or more than one, named "nobody"/);
    const wrong: [Partial<Body["settings"]>, RegExp][] = [
      [{ ca: (await makeAuthority()).certificate }, /issuer is not trusted|self-signed/],
      [{ base_dn: "ou=nowhere,dc=corp,dc=test" }, /has no ou=nowhere/],
      [{ user_filter: "((uid={name})" }, /filter/],
      [{ bind_dn: "uid=alice,ou=people,dc=corp,dc=test" }, /rejected the stored password of uid=alice/],
      [{ url: `ldaps://127.0.0.1:${directory.port}` }, /127\.0\.0\.1/],
    ];
    for (const [settings, expected] of wrong) {
      await set({}, settings, directory.helpdesk.password);
      const report = await ask();
      assert.equal(report.is_good, false);
      assert.match(report.steps.at(-1)!.text, expected);
      assert.ok(!JSON.stringify(report).includes(directory.helpdesk.password));
    }
    await set({}, {}, directory.helpdesk.password);
  });

  test("while the directory is down, all wrong passwords get the same reply, and local users can sign in", async () => {
    await set({}, { url: "ldaps://127.0.0.1:9" }, directory.helpdesk.password);
    const local = await aPerson(app);
    for (const name of ["alice", "nobody-either", local.email]) {
      const reply = await tryIn(name, "wrong");
      refusedWith(reply, 503, "sign-in.directory-unreachable");
      assert.match(reply.text, /The directory cannot be reached/);
    }
    assert.equal((await whoIs(local.email, local.password)).id, local.id);
    await set({}, {}, directory.helpdesk.password);
  });

  test("deleting a provider signs its users out and keeps their accounts, which can then get a local password", async () => {
    const signedIn = await tryIn("alice", directory.users.alice.password);
    const as = signedIn.body.token!;
    const { id } = (await app.call(currentSession, { as })).body.user;
    const shown = async () => (await app.call(listUsers, { query: { search: "alice@" }, as: admin })).body.data[0];
    assert.equal((await shown())?.signs_in_through, "The directory");
    const gone = await app.call(deleteIdentityProvider, { params: { id: row.id }, as: admin });
    assert.match(gone.body.message, /can sign in again once they have a password here/);
    assert.equal((await app.call(currentSession, { as })).status, 401);
    refusedWith(await tryIn("alice@corp.example", directory.users.alice.password), 401, "sign-in.refused");
    const alice = await shown();
    assert.deepEqual([alice?.id, alice?.signs_in_through], [id, null]);
    assert.equal((await app.call(issueResetLink, { params: { id }, as: admin })).status, 200);
  });
});
