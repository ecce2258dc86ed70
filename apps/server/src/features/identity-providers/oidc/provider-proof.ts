// Evaluates an OpenID Connect provider's answer as a proof: when it authenticated the user, and what the proof allows.
import type { ReplyInputOf, SessionId, finishOidc } from "@strongroom/contract";
import { proveSession } from "#features/sign-in/index.ts";
import { findUser, findUserByEmail } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { OidcRow } from "../identity-providers.store.ts";
import type { FlowsTable } from "./flows.store.ts";
import { authTimeOf, isFreshFor, assertsSecondFactor } from "../identity-providers.policy.ts";
import type { IdentityProviderContext } from "../context.ts";
import { findBound, findSignedOutAt } from "../people/people.store.ts";

type Claims = Record<string, unknown>;

/** When the provider authenticated the user; null if not sent. Throws 403 for a time that is implausible or too old. */
export async function requireAuthTime(
  { kernel }: IdentityProviderContext,
  db: Db,
  { row, flow, claims }: { row: OidcRow; flow: FlowsTable; claims: Claims },
): Promise<Date | null> {
  const at = authTimeOf(claims, kernel.clock.now());
  if (at === "invalid") throw wrongTime(row);
  if (flow.must_authenticate) {
    if (at !== null && !isFreshFor(flow, at)) throw notAsked(row);
    return at;
  }
  const signedOutAt = await findSignedOutAt(db, row.id, String(claims["sub"]));
  if (signedOutAt !== null && (at === null || at < signedOutAt)) throw askAgain(row);
  return at;
}

const wrongTime = ({ name }: OidcRow) =>
  refuse(
    403,
    "sign-in.provider-untrusted",
    `${name} reports a sign-in time in the future. Ask an administrator to compare the clocks.`,
  );

const notAsked = ({ name }: OidcRow) =>
  refuse(
    403,
    "sign-in.not-authenticated-again",
    `${name} did not ask you to sign in again. Sign out there, then try again.`,
  );

/** The page then offers to start again with `authenticate`. */
export const askAgain = ({ name }: Pick<OidcRow, "name">) =>
  refuse(403, "sign-in.authenticate-again", `Please sign in to ${name} again to continue.`);

/**
 * Completes the step-up of an open session. INVARIANT: only for the session's own user, authenticated after the step-up
 * began, and never in place of a local second factor.
 */
export async function finishStepUp(
  context: IdentityProviderContext,
  call: SteppedCall<typeof finishOidc>,
  { row, flow, claims, sessionId }: { row: OidcRow; flow: FlowsTable; claims: Claims; sessionId: SessionId },
): Promise<ReplyInputOf<typeof finishOidc>> {
  const { kernel } = context;
  const { db } = kernel.database;
  const person = await findBound(db, row.id, String(claims["sub"]));
  call.note({ event: "session.stepped-up", details: { kind: "provider", provider: row.name } });
  const at = await requireAuthTime(context, db, { row, flow, claims });
  if (at === null) throw noAuthTime(row);
  if (person === undefined) throw otherPerson(row);
  call.note({
    actor: { id: person.id, name: person.name, role: person.role },
    target: { type: "user", id: person.id, name: person.email },
  });
  const isStrong = assertsSecondFactor(claims, row.settings.factor_values);
  const until = await call.commit(async (tx) => {
    const missing = await requireNoOwnFactor(context, tx, person.id);
    if (missing && !isStrong) throw factorMissing(row);
    const provedUntil = await proveSession(kernel, tx, { id: sessionId, userId: person.id, at });
    if (provedUntil === null) throw otherPerson(row);
    return provedUntil;
  });
  return { sign_in: {}, return_to: flow.return_to, remember_me: false, proved_until: until.toISOString() };
}

/** Throws 409 if the user has a local second factor. Returns whether their role requires one. */
export async function requireNoOwnFactor(
  { signIn }: IdentityProviderContext,
  db: Db,
  userId: string,
): Promise<boolean> {
  const user = await wholeUser(db, userId);
  const demand = user === undefined ? null : await signIn.parts.secondStep.current(db, user);
  if (demand !== null && demand.kinds.length > 0) {
    throw refuse(409, "step-up.own-factor", "You have a second factor in Strongroom. Use it to confirm your identity.");
  }
  return demand !== null;
}

async function wholeUser(db: Db, userId: string): Promise<UsersTable | undefined> {
  const person = await findUser(db, userId);
  return person && findUserByEmail(db, person.email);
}

const noAuthTime = ({ name }: OidcRow) =>
  refuse(
    403,
    "step-up.no-auth-time",
    `${name} does not report when you signed in (auth_time), so it cannot confirm your identity. Ask an administrator to require a second factor for your role. You can then set one up when you sign in.`,
  );

const otherPerson = ({ name }: OidcRow) =>
  refuse(403, "step-up.other-person", `You signed in to ${name} as another user. Sign in there with your own account.`);

const factorMissing = ({ name }: OidcRow) =>
  refuse(403, "step-up.factor-missing", `Your role requires a second factor, and ${name} did not ask for one.`);
