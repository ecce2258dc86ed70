// Test helpers for OpenID Connect: one server, a real provider on loopback, and a simulated browser.
import {
  OidcSettings,
  beginOidc,
  beginProviderStepUp,
  createIdentityProvider,
  currentSession,
  finishOidc,
  listUsers,
  updateIdentityProvider,
} from "@strongroom/contract";
import type { IdentityProvider, InputOf, ReplyOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, beforeEach } from "node:test";
import { firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { Reply, TestApp } from "#testing/test-app.ts";
import { CLIENT_ID, CLIENT_SECRET, startOpenidProvider } from "./openid-provider.ts";
import type { OpenidProvider } from "./openid-provider.ts";

type Body = NonNullable<InputOf<typeof createIdentityProvider>["body"]>;
type OidcBody = Extract<Body, { kind: "oidc" }>;

export let app: TestApp;
export let idp: OpenidProvider;
/** The token of an administrator with a local password. */
export let admin: string;
export let row: IdentityProvider;
let now = new Date();

export function wait(milliseconds: number): void {
  now = new Date(now.getTime() + milliseconds);
}

export const base = (): OidcBody => ({
  kind: "oidc",
  name: "Company login",
  is_enabled: true,
  creates_people: true,
  links_by_email: false,
  without_group: "user",
  role_mappings: [],
  domains: [],
  secret: CLIENT_SECRET,
  settings: OidcSettings.parse({ issuer: idp.issuer, client_id: CLIENT_ID }),
});

/** Sets up one server and one provider for a test file, and resets the provider before each test. */
export function serveOidc(): void {
  before(async () => {
    app = await testApp({ config: { publicUrl: "https://strongroom.example" }, clock: { now: () => now } });
    idp = await startOpenidProvider();
    admin = (await firstAdmin(app)).token;
    const made = await app.call(createIdentityProvider, { body: base(), as: admin });
    assert.equal(made.status, 201, made.text);
    row = made.body;
    idp.serve([row.redirect_uri!]);
  });
  after(async () => {
    await app.close();
    await idp.close();
  });
  beforeEach(async () => {
    now = new Date();
    idp.bend = null;
    await set({});
  });
}

/** Changes the provider; omitted settings have their defaults. */
export function tryToSet(change: Partial<OidcBody>, settings: Partial<OidcBody["settings"]> = {}) {
  const { secret: _kept, ...body } = { ...base(), ...change };
  const changed = { ...body, settings: { ...body.settings, ...settings } };
  return app.call(updateIdentityProvider, { params: { id: row.id }, body: changed, as: admin });
}

export async function set(...change: Parameters<typeof tryToSet>): Promise<void> {
  const reply = await tryToSet(...change);
  assert.equal(reply.status, 200, reply.text);
}

let count = 0;
/** Makes the provider sign in a new person from now on. */
export function aStranger(claims: Record<string, unknown> = {}): { subject: string; email: string } {
  count += 1;
  const email = `stranger${count}@corp.example`;
  idp.person = {
    subject: `subject-${count}`,
    claims: { email, email_verified: true, name: `Stranger ${count}`, ...claims },
  };
  return { subject: idp.person.subject, email };
}

export interface Begun {
  url: string;
  cookie: string;
}

export async function begin(body: InputOf<typeof beginOidc>["body"] = {}): Promise<Begun> {
  return started(await app.call(beginOidc, { params: { id: row.id }, body }));
}

function started(reply: Reply<{ url: string }>): Begun {
  assert.equal(reply.status, 200, reply.text);
  return { url: reply.body.url, cookie: String(reply.headers["set-cookie"]).split(";", 1)[0]! };
}

export const beginStepUpOf = async (token: string | undefined): Promise<Begun> =>
  started(await app.call(beginProviderStepUp, { body: {}, as: token }));

export const finish = (query: string, cookie: string | null, id = row.id) =>
  app.call(finishOidc, { params: { id }, body: { query }, headers: cookie === null ? {} : { cookie } });

export async function signIn(body: InputOf<typeof beginOidc>["body"] = {}): Promise<Reply<ReplyOf<typeof finishOidc>>> {
  const { url, cookie } = await begin(body);
  return finish(await idp.visit(url), cookie);
}

/** The signed-in user. */
export async function whoIs(reply: Reply<ReplyOf<typeof finishOidc>>) {
  assert.equal(reply.status, 200, reply.text);
  const session = await app.call(currentSession, { as: reply.body.sign_in.token });
  assert.equal(session.status, 200, session.text);
  return session.body.user;
}

export const refusedWith = (reply: { status: number; body: unknown; text: string }, status: number, code: string) =>
  assert.deepEqual([reply.status, (reply.body as { code?: string }).code], [status, code], reply.text);

export const countUsers = async () =>
  (await app.call(listUsers, { query: { limit: 200 }, as: admin })).body.data.length;

/** Simulates that the user cancelled a reset of their sign-in as unauthorised. */
export async function holdVaultOf({ id }: { id: string }): Promise<void> {
  await app.database.pool.query(
    "insert into vault_closures (user_id, closed_at, opens_at, cause, closed_by) values ($1, now(), null, 'reset-link', 'Admin')",
    [id],
  );
}
