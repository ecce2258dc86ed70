// The second step of a sign-in, sign-in with a passkey alone, and step-up authentication.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { FactorAnswer, FactorKind, FactorProof, NewFactor, PasskeyAssertion, PasskeyRequest } from "./factors.ts";
import { Moment } from "./fields.ts";

/** The proofs that a second step accepts. */
export const PROOF_KINDS = ["totp", "passkey", "recovery"] as const;

/**
 * The step that is still missing after a correct password. It is not a session: `pending` allows only the calls of this
 * step.
 */
export const SecondStep = z.object({
  /** Valid for 5 minutes and one sign-in. */
  pending: z.string(),
  expires_at: Moment,
  /** Empty when the user's role requires a factor and they have none, so they set one up now. */
  kinds: z.array(z.enum(PROOF_KINDS)),
  passkey: PasskeyRequest.nullable(),
});
export type SecondStep = z.infer<typeof SecondStep>;

/** The result of a sign-in: either a token, an EdDSA-signed JWT with a `TokenPayload`, or a second step. */
export const SignedIn = z.object({ token: z.string().optional(), second_step: SecondStep.optional() });
export type SignedIn = z.infer<typeof SignedIn>;

const Pending = z.string().min(20).max(100);

export const completeSignIn = endpoint({
  method: "POST",
  path: "/api/v1/auth/second-step",
  summary: "Finish a sign-in with a second factor or a recovery code",
  body: z.strictObject({ pending: Pending, proof: FactorProof }),
  reply: SignedIn,
  needs: "public",
  audit: "session.started",
  gives: "nothing",
});

export const beginFirstFactor = endpoint({
  method: "POST",
  path: "/api/v1/auth/second-step/begin-factor",
  summary: "During a sign-in that needs a second factor: start setting up the first one",
  body: z.strictObject({ pending: Pending, kind: FactorKind }),
  reply: NewFactor,
  needs: "public",
  audit: "factor.begun",
  gives: "nothing",
  repliesSecret: true,
});

export const addFirstFactor = endpoint({
  method: "POST",
  path: "/api/v1/auth/second-step/add-factor",
  summary: "During a sign-in: confirm the first second factor with its proof, and finish",
  body: z.strictObject({ pending: Pending, answer: FactorAnswer }),
  reply: z.object({ token: z.string(), recovery_codes: z.array(z.string()) }),
  needs: "public",
  audit: "session.started",
  gives: "nothing",
  repliesSecret: true,
});

export const beginPasskeySignIn = endpoint({
  method: "POST",
  path: "/api/v1/auth/passkey/begin",
  summary: "Start a sign-in with a passkey alone",
  reply: PasskeyRequest,
  needs: "public",
  audit: "none",
  gives: "nothing",
});

export const signInWithPasskey = endpoint({
  method: "POST",
  path: "/api/v1/auth/passkey",
  summary: "Sign in with a passkey alone: the device and its unlock method are two factors",
  body: z.strictObject({ response: PasskeyAssertion, remember_me: z.boolean().default(false) }),
  reply: SignedIn,
  needs: "public",
  audit: "session.started",
  gives: "nothing",
});

/** The input of a step-up: the password of a person without a second factor, otherwise one of their factors. */
export const StepUpProof = z.union([
  FactorProof,
  z.strictObject({ kind: z.literal("password"), password: z.string().min(1).max(256) }),
]);
export type StepUpProof = z.infer<typeof StepUpProof>;

export const beginStepUp = endpoint({
  method: "POST",
  path: "/api/v1/auth/step-up/begin",
  summary: "The proofs that the caller can re-authenticate with now",
  reply: z.object({
    /** Empty if the user has neither a password nor a second factor in Strongroom. */
    kinds: z.array(z.enum(["password", ...PROOF_KINDS])),
    passkey: PasskeyRequest.nullable(),
    /** With empty kinds: the provider that can authenticate the user again (`beginProviderStepUp`). */
    provider: z.object({ id: z.string(), name: z.string() }).nullable(),
  }),
  needs: "signed-in",
  audit: "none",
  gives: "nothing",
  whilePending: true,
});

/**
 * Some calls require authentication within the sign-in policy's interval; without it they answer 403
 * `step-up.required`.
 */
export const stepUp = endpoint({
  method: "POST",
  path: "/api/v1/auth/step-up",
  summary: "Re-authenticate in the current session",
  body: z.strictObject({ proof: StepUpProof }),
  reply: z.object({ proved_until: Moment }),
  needs: "signed-in",
  audit: "session.stepped-up",
  gives: "nothing",
  whilePending: true,
  repliesSecret: true,
});
