// Second factors: authenticator apps, passkeys, recovery codes, and how a person keeps their own.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, UserId, oneLine } from "./fields.ts";

export const FactorId = z.uuid().brand<"FactorId">();
export type FactorId = z.infer<typeof FactorId>;

export const FACTOR_KINDS = ["totp", "passkey"] as const;
export const FactorKind = z.enum(FACTOR_KINDS);
export type FactorKind = z.infer<typeof FactorKind>;

export const Factor = z.object({
  id: FactorId,
  kind: FactorKind,
  name: z.string(),
  created_at: Moment,
  last_used_at: Moment.nullable(),
});
export type Factor = z.infer<typeof Factor>;

/** Six digits, however they are grouped. */
export const TotpCode = z
  .string()
  .max(20)
  .transform((typed) => typed.replace(/\s/g, ""))
  .pipe(z.string().regex(/^\d{6}$/, "A code has 6 digits."));

/** Four groups of four letters and digits, in any case, with or without dashes. */
export const RecoveryCode = z
  .string()
  .max(40)
  .transform((typed) => typed.toLowerCase().replace(/[^a-z0-9]/g, ""))
  .pipe(z.string().regex(/^[a-z2-7]{16}$/, "A recovery code has 16 letters and digits."));

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]*$/, "Must be base64url");
const CredentialIdText = base64url(1400).min(1);

const passkeyParts = {
  id: CredentialIdText,
  rawId: CredentialIdText,
  type: z.literal("public-key"),
  authenticatorAttachment: z.enum(["platform", "cross-platform"]).optional(),
  /** Asked for nothing, so nothing is read from it. */
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
};

/** What `navigator.credentials.get` answers, as WebAuthn's JSON has it (AuthenticationResponseJSON). */
export const PasskeyAssertion = z.object({
  ...passkeyParts,
  response: z.object({
    clientDataJSON: base64url(4000),
    authenticatorData: base64url(4000),
    signature: base64url(4000),
    userHandle: base64url(200).optional(),
  }),
});
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** What `navigator.credentials.create` answers (RegistrationResponseJSON). */
export const PasskeyRegistration = z.object({
  ...passkeyParts,
  response: z.object({
    clientDataJSON: base64url(4000),
    attestationObject: base64url(40_000),
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
});
export type PasskeyRegistration = z.infer<typeof PasskeyRegistration>;

const Descriptor = z.object({
  id: z.string(),
  type: z.literal("public-key"),
  transports: z.array(z.string()).optional(),
});

/** What the browser passes to `navigator.credentials.get`. */
export const PasskeyRequest = z.object({
  challenge: z.string(),
  timeout: z.number().int().optional(),
  rpId: z.string(),
  allowCredentials: z.array(Descriptor).optional(),
  userVerification: z.literal("required"),
});
export type PasskeyRequest = z.infer<typeof PasskeyRequest>;

/** What the browser passes to `navigator.credentials.create`. */
export const PasskeyCreation = z.object({
  challenge: z.string(),
  timeout: z.number().int().optional(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.number().int(), type: z.literal("public-key") })),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal("preferred"),
    userVerification: z.literal("required"),
  }),
  attestation: z.literal("none"),
});
export type PasskeyCreation = z.infer<typeof PasskeyCreation>;

/** What proves a person beside their password. */
export const FactorProof = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("totp"), code: TotpCode }),
  z.strictObject({ kind: z.literal("recovery"), code: RecoveryCode }),
  z.strictObject({ kind: z.literal("passkey"), response: PasskeyAssertion }),
]);
export type FactorProof = z.infer<typeof FactorProof>;

/** What a new factor needs to be set up; it counts once it has answered. */
export const NewFactor = z.object({
  /** For an authenticator app: the key in base32, and the same as an `otpauth://` address for a QR code. */
  totp: z.object({ key: z.string(), uri: z.string() }).nullable(),
  passkey: PasskeyCreation.nullable(),
});
export type NewFactor = z.infer<typeof NewFactor>;

/** The first answer of a new factor, and what it is to be called. */
export const FactorAnswer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("totp"), name: oneLine().min(1).max(60), code: TotpCode }),
  z.strictObject({ kind: z.literal("passkey"), name: oneLine().min(1).max(60), response: PasskeyRegistration }),
]);
export type FactorAnswer = z.infer<typeof FactorAnswer>;

/** Shown once. Null where the person has codes already. */
const RecoveryCodes = z.array(z.string()).nullable();

export const listFactors = endpoint({
  method: "GET",
  path: "/api/v1/auth/factors",
  summary: "One's own second factors, and how many recovery codes are left",
  reply: z.object({
    data: z.array(Factor),
    recovery_codes_left: z.number().int(),
    /** The person's role must have one, so the last one stays. */
    is_required: z.boolean(),
  }),
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

export const beginFactor = endpoint({
  method: "POST",
  path: "/api/v1/auth/factors/begin",
  summary: "Begin to add a second factor",
  body: z.strictObject({ kind: FactorKind }),
  reply: NewFactor,
  needs: "signed-in",
  audit: "factor.begun",
  gives: "nothing",
  whilePending: true,
  stepUp: true,
  repliesSecret: true,
});

export const addFactor = endpoint({
  method: "POST",
  path: "/api/v1/auth/factors",
  summary: "Add the second factor that was begun, by its first answer",
  body: FactorAnswer,
  reply: z.object({ factor: Factor, recovery_codes: RecoveryCodes }),
  status: 201,
  needs: "signed-in",
  audit: "factor.added",
  gives: "nothing",
  whilePending: true,
  stepUp: true,
  repliesSecret: true,
});

export const removeFactor = endpoint({
  method: "DELETE",
  path: "/api/v1/auth/factors/:id",
  summary: "Remove one of one's own second factors; the last one takes the recovery codes with it",
  params: z.object({ id: FactorId }),
  reply: Message,
  needs: "signed-in",
  audit: "factor.removed",
  gives: "nothing",
  whilePending: true,
  stepUp: true,
  thing: "factor",
});

export const renewRecoveryCodes = endpoint({
  method: "POST",
  path: "/api/v1/auth/factors/recovery-codes",
  summary: "Make ten new recovery codes; the old ones stop working",
  reply: z.object({ recovery_codes: z.array(z.string()) }),
  needs: "signed-in",
  audit: "factor.codes-renewed",
  gives: "nothing",
  whilePending: true,
  stepUp: true,
  repliesSecret: true,
});

/** For somebody who lost theirs. They set up a new one at their next sign-in where their role must have one. */
export const resetFactors = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/reset-factors",
  summary: "Remove all second factors of a user and end their sessions; they are told",
  params: z.object({ id: UserId }),
  reply: Message,
  needs: "user.manage",
  audit: "factor.reset",
  gives: "right",
  stepUp: true,
  thing: "user",
  sessionOnly: true,
});
