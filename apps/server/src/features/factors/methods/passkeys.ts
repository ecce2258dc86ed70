// Passkeys and security keys (WebAuthn Level 3). The device verifies its user at every use.
import type {
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyRegistration,
  PasskeyRequest,
  UserId,
} from "@strongroom/contract";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Tx } from "#kernel/db/database.ts";
import type { SignInKernel } from "#features/sign-in/index.ts";
import { CHALLENGE_LIFETIME } from "../factors.policy.ts";
import { consumeChallenge, findPasskey, insertChallenge, spendCount } from "../factors.store.ts";
import type { ChallengePurpose, FactorRow } from "../factors.store.ts";

/** EdDSA, ES256, RS256. The library's default offers ML-DSA first, which is experimental in Node. */
const ALGORITHMS = [-8, -7, -257];
/** Imported when a passkey is first used, because the library is an eighth of the server's code. */
const library = () => import("@simplewebauthn/server");

const NAME = "Strongroom";
const LOOPBACK = ["127.0.0.1", "[::1]"];

/** The relying party id and origin. WebAuthn does not allow IP addresses, so loopback addresses become `localhost`. */
export function siteOf(publicUrl: string): { rpId: string; origin: string } {
  const url = new URL(publicUrl);
  if (LOOPBACK.includes(url.hostname)) url.hostname = "localhost";
  return { rpId: url.hostname, origin: url.origin };
}

/** The options to send, and a function that stores their challenge. */
interface Asked<T> {
  options: T;
  keep(tx: Tx): Promise<void>;
}

function challengeFor({ clock }: SignInKernel, purpose: ChallengePurpose, userId: UserId | null) {
  const challenge = randomBytes(32);
  const text = challenge.toString("base64url");
  const expires = new Date(clock.now().getTime() + CHALLENGE_LIFETIME);
  const keep = (tx: Tx) => insertChallenge(tx, { challenge: text, purpose, user_id: userId, expires_at: expires });
  return { challenge: new Uint8Array(challenge), keep };
}

const descriptor = ({ credential_id: id, transports }: FactorRow) => ({ id: id ?? "", transports: transports ?? [] });

/** Asks for one of `passkeys` or, if the list is empty, for any passkey that the browser has. */
export async function askForPasskey(
  kernel: SignInKernel,
  purpose: ChallengePurpose,
  userId: UserId | null,
  passkeys: readonly FactorRow[],
): Promise<Asked<PasskeyRequest>> {
  const { challenge, keep } = challengeFor(kernel, purpose, userId);
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: siteOf(kernel.publicUrl()).rpId,
    challenge,
    timeout: CHALLENGE_LIFETIME,
    userVerification: "required",
    ...(passkeys.length === 0 ? {} : { allowCredentials: passkeys.map(descriptor) }),
  });
  return { options: options as PasskeyRequest, keep };
}

/** Asks for a new passkey; the browser excludes those that the user already has. */
export async function askForNewPasskey(
  kernel: SignInKernel,
  person: { id: UserId; email: string; name: string },
  passkeys: readonly FactorRow[],
): Promise<Asked<PasskeyCreation>> {
  const { challenge, keep } = challengeFor(kernel, "enrol", person.id);
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: siteOf(kernel.publicUrl()).rpId,
    userID: new Uint8Array(Buffer.from(person.id)),
    userName: person.email,
    userDisplayName: person.name,
    challenge,
    timeout: CHALLENGE_LIFETIME,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: passkeys.map(descriptor),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
  });
  return { options: options as PasskeyCreation, keep };
}

/** A browser in a frame of a different site says so in `crossOrigin`. Strongroom is never framed (WebAuthn Level 3, §7.2). */
const ClientData = z.object({ challenge: z.string(), crossOrigin: z.literal(false).optional() });

/**
 * The challenge that a response claims to answer; null for a response from a frame of a different site. Consuming the
 * challenge later shows whether the server issued it.
 */
function challengeOf(clientDataJSON: string): string | null {
  try {
    const text: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
    return ClientData.safeParse(text).data?.challenge ?? null;
  } catch {
    return null;
  }
}

/** A verified response, which must be consumed in the transaction of the action that it authorises. */
export interface PasskeyUse {
  factor: FactorRow;
  /** Returns false when the challenge was not issued, or the response was used before. */
  spend(tx: Tx): Promise<boolean>;
}

/**
 * Verifies a passkey's response: the challenge, this site's origin, the signature, user verification, and an increased counter
 * (WebAuthn §7.2). Returns null when any check fails or the passkey does not belong to `owner`.
 */
export async function checkPasskey(
  kernel: SignInKernel,
  response: PasskeyAssertion,
  purpose: ChallengePurpose,
  owner: UserId | null,
): Promise<PasskeyUse | null> {
  const factor = await findPasskey(kernel.database.db, response.id);
  const challenge = challengeOf(response.response.clientDataJSON);
  if (factor?.public_key == null || challenge === null) return null;
  if (owner !== null && factor.user_id !== owner) return null;
  const { rpId, origin } = siteOf(kernel.publicUrl());
  const { verifyAuthenticationResponse } = await library();
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: response.id,
      publicKey: new Uint8Array(factor.public_key),
      counter: factor.counter ?? 0,
    },
  }).catch(refusedByLibrary(kernel));
  if (verified?.verified !== true) return null;
  const now = kernel.clock.now();
  const wanted = { challenge, purpose, user_id: owner, expires_at: now };
  return {
    factor,
    spend: async (tx) =>
      (await consumeChallenge(tx, wanted)) && spendCount(tx, factor, verified.authenticationInfo.newCounter, now),
  };
}

export interface NewPasskey {
  columns: Pick<FactorRow, "credential_id" | "public_key" | "counter" | "transports">;
  /** Returns false when the challenge was not issued. */
  spend(tx: Tx): Promise<boolean>;
}

/** Verifies a new passkey (WebAuthn §7.1). Returns null when any check fails. */
export async function checkNewPasskey(
  kernel: SignInKernel,
  response: PasskeyRegistration,
  owner: UserId,
): Promise<NewPasskey | null> {
  const challenge = challengeOf(response.response.clientDataJSON);
  if (challenge === null) return null;
  const { rpId, origin } = siteOf(kernel.publicUrl());
  const { verifyRegistrationResponse } = await library();
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refusedByLibrary(kernel));
  if (verified?.verified !== true) return null;
  const { credential } = verified.registrationInfo;
  const wanted = { challenge, purpose: "enrol" as const, user_id: owner, expires_at: kernel.clock.now() };
  return {
    columns: {
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: response.response.transports ?? [],
    },
    spend: (tx) => consumeChallenge(tx, wanted),
  };
}

/** For an invalid response, the library throws a reason that goes to the log but not to the client. */
const refusedByLibrary =
  ({ log }: SignInKernel) =>
  (error: unknown) => {
    log.info({ reason: error instanceof Error ? error.message : "unknown" }, "a passkey response was rejected");
    return null;
  };
