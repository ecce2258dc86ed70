// Completes a sign-in at an OpenID Connect provider: once, and only in the browser that began it.
import type { SignedIn, finishOidc } from "@strongroom/contract";
import type { ReplyInputOf } from "@strongroom/contract";
import { openSession, provedUntil } from "#features/sign-in/index.ts";
import { readPolicy, requireAllowedNetwork } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { requireOidc } from "./begin-oidc.ts";
import type { OidcRow } from "../identity-providers.store.ts";
import { FLOW_COOKIE, flowSecrets } from "./flow-secrets.ts";
import type { FlowSecrets } from "./flow-secrets.ts";
import { takeFlow } from "./flows.store.ts";
import type { FlowsTable } from "./flows.store.ts";
import { factorValuesOf, groupsIn, namesInClaim, assertsSecondFactor } from "../identity-providers.policy.ts";
import { lockProviderShared } from "../identity-providers.store.ts";
import { targetOf } from "../identity-providers.ts";
import type { IdentityProviderContext } from "../context.ts";
import { recordSecondFactor, writeSignedOutAt } from "../people/people.store.ts";
import { asRefusal } from "../provider-failures.ts";
import { askAgain, finishStepUp, requireAuthTime } from "./provider-proof.ts";
import { openProviderSecret } from "../provider-secret.ts";
import { redirectUriOf } from "./redirect-uri.ts";
import { settlePerson } from "../people/settle-person.ts";
import type { AssertedIdentity } from "../people/take-over.ts";

type FinishCall = SteppedCall<typeof finishOidc>;

export async function finish(
  context: IdentityProviderContext,
  call: FinishCall,
  db: Db,
): Promise<ReplyInputOf<typeof finishOidc>> {
  const row = await requireOidc(db, call.params.id);
  call.note({ target: targetOf(row.id, row.name) });
  // Checked before a user is created: a network that is not allowed must not create accounts.
  requireAllowedNetwork(await readPolicy(db), call.request.ip);
  const secret = call.cookie(FLOW_COOKIE);
  if (secret === null) throw beginAgain();
  const secrets = flowSecrets(secret);
  requireState(call.body.query, secrets);
  const flow = await taken(context, row, secrets.hash);
  const claims = await proved(context, row, call.body.query, secrets);
  if (flow.session_id !== null) return finishStepUp(context, call, { row, flow, claims, sessionId: flow.session_id });
  const provedAt = await requireAuthTime(context, db, { row, flow, claims });
  const settled = await settlePerson(context, row, vouchedBy(row, claims));
  const isStrong = assertsSecondFactor(claims, row.settings.factor_values);
  await requireFreshForEnrolment(context, row, { flow, provedAt, isStrong, user: settled.user });
  const signedIn: SignedIn = await openSession(context.signIn.parts, call, {
    ...settled,
    method: "oidc",
    isRemembered: flow.is_remembered,
    isStrong,
    provedAt,
    async afterwards(tx) {
      // Uses the provider's current rules: if they have changed since, the recorded factors have been cleared, and this
      // one must not count either.
      const rules = isStrong ? await lockProviderShared(tx, row.id) : undefined;
      const counts = rules !== undefined && assertsSecondFactor(claims, factorValuesOf(rules));
      await recordSecondFactor(tx, settled.user.id, counts);
      // Without `auth_time` the next sign-in could not check it either; with it, older authentications remain invalid.
      if (provedAt === null) await writeSignedOutAt(tx, settled.user.id, null);
    },
  });
  return { sign_in: signedIn, return_to: flow.return_to, remember_me: flow.is_remembered, proved_until: null };
}

/**
 * Users whose role requires a second factor set up the first one during sign-in. INVARIANT: not with an old
 * authentication, or the next person at an unlocked browser could set up theirs.
 */
async function requireFreshForEnrolment(
  { kernel, signIn }: IdentityProviderContext,
  row: OidcRow,
  proof: { flow: FlowsTable; provedAt: Date | null; isStrong: boolean; user: UsersTable },
): Promise<void> {
  if (proof.isStrong || proof.flow.must_authenticate) return;
  const { db } = kernel.database;
  const demand = await signIn.parts.secondStep.current(db, proof.user);
  if (demand === null || demand.kinds.length > 0) return;
  const until = proof.provedAt === null ? null : provedUntil(proof.provedAt, await readPolicy(db));
  if (until === null || until <= kernel.clock.now()) throw askAgain(row);
}

/**
 * Throws 400 for an answer to a different sign-in, begun in this browser or another one. INVARIANT: such an answer does
 * not end the sign-in in progress, because any site can send a browser to the redirect address.
 */
function requireState(query: string, { state }: FlowSecrets): void {
  if (new URLSearchParams(query).get("state") !== state) throw beginAgain();
}

/** INVARIANT: a flow is deleted before its answer is redeemed, so that no answer is redeemed twice. */
async function taken({ kernel }: IdentityProviderContext, row: OidcRow, hash: Buffer): Promise<FlowsTable> {
  const flow = await kernel.database.transaction((tx) => takeFlow(tx, hash));
  // An answer from a provider other than the one where the sign-in began is refused (RFC 9700 §4.4).
  if (flow === undefined || flow.provider_id !== row.id || flow.expires_at <= kernel.clock.now()) throw beginAgain();
  return flow;
}

async function proved(
  context: IdentityProviderContext,
  row: OidcRow,
  query: string,
  secrets: FlowSecrets,
): Promise<Record<string, unknown>> {
  const { kernel, oidc } = context;
  const answer = new URL(redirectUriOf(kernel, row.id));
  answer.search = query;
  using clientSecret = await openProviderSecret(kernel, row);
  try {
    return await oidc.exchange(await oidc.configurationOf(row, clientSecret), answer, secrets);
  } catch (error) {
    throw asRefusal(context, row, error);
  }
}

function vouchedBy(row: OidcRow, claims: Record<string, unknown>): AssertedIdentity {
  const groups = groupsIn(claims, row.settings.group_claim);
  if (groups === null) {
    throw refuse(403, "sign-in.groups-missing", `${row.name} did not send your groups. Contact an administrator.`);
  }
  return {
    subject: text(claims["sub"]) ?? "",
    email: text(claims["email"]),
    isEmailVerified: verifiedIn(claims["email_verified"]),
    name: text(claims["name"]),
    groups: namesInClaim(groups),
  };
}

/** Some providers send text instead of a boolean. Anything but true or an absent claim means that the address is not verified. */
const verifiedIn = (claim: unknown): boolean | null =>
  claim === undefined || claim === null ? null : claim === true || claim === "true";

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const beginAgain = () =>
  refuse(400, "sign-in.begin-again", "This sign-in is no longer valid in this browser. Start again.");
