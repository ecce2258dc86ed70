// Takes what an OpenID Connect provider sent the browser back with, once, from the browser that began.
import type { SignedIn, finishOidc } from "@strongroom/contract";
import type { ReplyInputOf } from "@strongroom/contract";
import { openSession, provedUntil } from "#features/sign-in/index.ts";
import { readPolicy, requireAllowedNetwork } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { requireOidc } from "./begin-oidc.ts";
import type { OidcRow } from "./begin-oidc.ts";
import { FLOW_COOKIE, flowSecrets } from "./flow-secrets.ts";
import type { FlowSecrets } from "./flow-secrets.ts";
import { takeFlow } from "./flows.store.ts";
import type { FlowsTable } from "./flows.store.ts";
import { factorValuesOf, groupsIn, namesInClaim, sawSecondFactor } from "./identity-providers.policy.ts";
import { holdProvider } from "./identity-providers.store.ts";
import { targetOf } from "./identity-providers.ts";
import type { Office } from "./office.ts";
import { noteSecondFactor, writeSignedOutAt } from "./people.store.ts";
import { asRefusal } from "./provider-failures.ts";
import { askAgain, finishStepUp, requireAuthTime } from "./provider-proof.ts";
import { openProviderSecret } from "./provider-secret.ts";
import { redirectUriOf } from "./redirect-uri.ts";
import { settlePerson } from "./settle-person.ts";
import type { Vouched } from "./take-over.ts";

type FinishCall = SteppedCall<typeof finishOidc>;

export async function finish(office: Office, call: FinishCall, db: Db): Promise<ReplyInputOf<typeof finishOidc>> {
  const row = await requireOidc(db, call.params.id);
  call.note({ target: targetOf(row.id, row.name) });
  // Before anybody is made: from elsewhere, nobody comes in.
  requireAllowedNetwork(await readPolicy(db), call.request.ip);
  const secret = call.cookie(FLOW_COOKIE);
  if (secret === null) throw beginAgain();
  const secrets = flowSecrets(secret);
  requireState(call.body.query, secrets);
  const flow = await taken(office, row, secrets.hash);
  const claims = await proved(office, row, call.body.query, secrets);
  if (flow.session_id !== null) return finishStepUp(office, call, { row, flow, claims, sessionId: flow.session_id });
  const provedAt = await requireAuthTime(office, db, { row, flow, claims });
  const settled = await settlePerson(office, row, vouchedBy(row, claims));
  const isStrong = sawSecondFactor(claims, row.settings.factor_values);
  await requireFreshForEnrolment(office, row, { flow, provedAt, isStrong, user: settled.user });
  const signedIn: SignedIn = await openSession(office.signIn.parts, call, {
    ...settled,
    method: "oidc",
    isRemembered: flow.is_remembered,
    isStrong,
    provedAt,
    async afterwards(tx) {
      // As the provider's rules are now: who changes them has forgotten what was noted, and forgets this as well.
      const rules = isStrong ? await holdProvider(tx, row.id) : undefined;
      const counts = rules !== undefined && sawSecondFactor(claims, factorValuesOf(rules));
      await noteSecondFactor(tx, settled.user.id, counts);
      // Without `auth_time` the next sign-in could not check it either; with it, older authentications stay worthless.
      if (provedAt === null) await writeSignedOutAt(tx, settled.user.id, null);
    },
  });
  return { sign_in: signedIn, return_to: flow.return_to, remember_me: flow.is_remembered, proved_until: null };
}

/**
 * People whose role requires a second factor set the first one up within the sign-in. INVARIANT: not with an old
 * authentication, or the next person at an unlocked browser could set up theirs.
 */
async function requireFreshForEnrolment(
  { kernel, signIn }: Office,
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
 * Throws 400 for an answer to another sign-in of this browser, or to somebody else's. INVARIANT: such an answer does not end the
 * sign-in that is under way, because anybody can send a browser to the address that takes answers.
 */
function requireState(query: string, { state }: FlowSecrets): void {
  if (new URLSearchParams(query).get("state") !== state) throw beginAgain();
}

/** INVARIANT: a flow is deleted before its answer is redeemed, so that no answer is redeemed twice. */
async function taken({ kernel }: Office, row: OidcRow, hash: Buffer): Promise<FlowsTable> {
  const flow = await kernel.database.transaction((tx) => takeFlow(tx, hash));
  // What was begun with one provider is not finished by another (RFC 9700 §4.4).
  if (flow === undefined || flow.provider_id !== row.id || flow.expires_at <= kernel.clock.now()) throw beginAgain();
  return flow;
}

async function proved(
  office: Office,
  row: OidcRow,
  query: string,
  secrets: FlowSecrets,
): Promise<Record<string, unknown>> {
  const { kernel, oidc } = office;
  const answer = new URL(redirectUriOf(kernel, row.id));
  answer.search = query;
  using clientSecret = await openProviderSecret(kernel, row);
  try {
    return await oidc.exchange(await oidc.configurationOf(row, clientSecret), answer, secrets);
  } catch (error) {
    throw asRefusal(office, row, error);
  }
}

function vouchedBy(row: OidcRow, claims: Record<string, unknown>): Vouched {
  const groups = groupsIn(claims, row.settings.group_claim);
  if (groups === null) {
    throw refuse(
      403,
      "sign-in.groups-missing",
      `${row.name} did not say which groups you are in. Please tell an administrator.`,
    );
  }
  return {
    subject: text(claims["sub"]) ?? "",
    email: text(claims["email"]),
    isEmailVerified: typeof claims["email_verified"] === "boolean" ? claims["email_verified"] : null,
    name: text(claims["name"]),
    groups: namesInClaim(groups),
  };
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const beginAgain = () =>
  refuse(400, "sign-in.begin-again", "This sign-in is no longer valid in this browser. Please begin again.");
