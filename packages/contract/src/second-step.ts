// The second step of signing in, signing in with a passkey alone, and the fresh proof that some calls ask for.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { FactorAnswer, FactorKind, FactorProof, NewFactor, PasskeyAssertion, PasskeyRequest } from "./factors.ts";
import { Moment } from "./fields.ts";

/** What a person can prove themselves with in a second step. */
export const PROOF_KINDS = ["totp", "passkey", "recovery"] as const;

/** What is still missing after a right password. It is no session: `pending` opens only the calls of this step. */
export const SecondStep = z.object({
  /** Good for 5 minutes and one sign-in. */
  pending: z.string(),
  expires_at: Moment,
  /** Empty: the person's role must have a factor and they have none, so they set one up now. */
  kinds: z.array(z.enum(PROOF_KINDS)),
  passkey: PasskeyRequest.nullable(),
});
export type SecondStep = z.infer<typeof SecondStep>;

/** How a way of signing in ends: either in a token, an EdDSA-signed JWT with a `TokenPayload`, or in a second step. */
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
  summary: "Within a sign-in that needs a second factor: begin to set up the first one",
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
  summary: "Within a sign-in: add the first second factor by its answer, and finish",
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
  summary: "Begin to sign in with a passkey alone",
  reply: PasskeyRequest,
  needs: "public",
  audit: "none",
  gives: "nothing",
});

export const signInWithPasskey = endpoint({
  method: "POST",
  path: "/api/v1/auth/passkey",
  summary: "Sign in with a passkey alone: the device and what unlocks it are two factors",
  body: z.strictObject({ response: PasskeyAssertion, remember_me: z.boolean().default(false) }),
  reply: SignedIn,
  needs: "public",
  audit: "session.started",
  gives: "nothing",
});

/** What a step-up takes: the password of somebody without a second factor, otherwise one of their factors. */
export const StepUpProof = z.union([
  FactorProof,
  z.strictObject({ kind: z.literal("password"), password: z.string().min(1).max(256) }),
]);
export type StepUpProof = z.infer<typeof StepUpProof>;

export const beginStepUp = endpoint({
  method: "POST",
  path: "/api/v1/auth/step-up/begin",
  summary: "What this person can prove themselves with now",
  reply: z.object({
    /** Empty if they have neither a password nor a second factor here. */
    kinds: z.array(z.enum(["password", ...PROOF_KINDS])),
    passkey: PasskeyRequest.nullable(),
    /** With empty kinds: the provider that can authenticate them again (`beginProviderStepUp`). */
    provider: z.object({ id: z.string(), name: z.string() }).nullable(),
  }),
  needs: "signed-in",
  audit: "none",
  gives: "nothing",
  whilePending: true,
});

/** Some calls need a proof that is not older than the sign-in policy says; without it they answer 403 `step-up.required`. */
export const stepUp = endpoint({
  method: "POST",
  path: "/api/v1/auth/step-up",
  summary: "Prove again who sits at this session",
  body: z.strictObject({ proof: StepUpProof }),
  reply: z.object({ proved_until: Moment }),
  needs: "signed-in",
  audit: "session.stepped-up",
  gives: "nothing",
  whilePending: true,
  repliesSecret: true,
});
