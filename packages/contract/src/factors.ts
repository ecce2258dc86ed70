// Second factors: authenticator apps, passkeys, recovery codes, and how users manage their own.
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

/** Six digits, in any grouping. */
export const TotpCode = z
  .string()
  .max(20)
  .transform((typed) => typed.replace(/\s/g, ""))
  .pipe(z.string().regex(/^\d{6}$/, "Enter a code of 6 digits."));

/** Four groups of four letters and digits, in upper or lower case, with or without dashes. */
export const RecoveryCode = z
  .string()
  .max(40)
  .transform((typed) => typed.toLowerCase().replace(/[^a-z0-9]/g, ""))
  .pipe(z.string().regex(/^[a-z2-7]{16}$/, "Enter a recovery code of 16 letters and digits."));

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
  /** Not requested, so never read. */
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
};

/** The result of `navigator.credentials.get` in WebAuthn's JSON form (AuthenticationResponseJSON). */
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

/** The result of `navigator.credentials.create` (RegistrationResponseJSON). */
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

/** The browser's input for `navigator.credentials.get`. */
export const PasskeyRequest = z.object({
  challenge: z.string(),
  timeout: z.number().int().optional(),
  rpId: z.string(),
  allowCredentials: z.array(Descriptor).optional(),
  userVerification: z.literal("required"),
});
export type PasskeyRequest = z.infer<typeof PasskeyRequest>;

/** The browser's input for `navigator.credentials.create`. */
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

/** A proof of identity in addition to the password. */
export const FactorProof = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("totp"), code: TotpCode }),
  z.strictObject({ kind: z.literal("recovery"), code: RecoveryCode }),
  z.strictObject({ kind: z.literal("passkey"), response: PasskeyAssertion }),
]);
export type FactorProof = z.infer<typeof FactorProof>;

/** The data for setting up a new factor, which counts once its first proof has been verified. */
export const NewFactor = z.object({
  /** For an authenticator app: the key in base32, and the same as an `otpauth://` URI for a QR code. */
  totp: z.object({ key: z.string(), uri: z.string() }).nullable(),
  passkey: PasskeyCreation.nullable(),
});
export type NewFactor = z.infer<typeof NewFactor>;

/** The first proof of a new factor, and its name. */
export const FactorAnswer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("totp"), name: oneLine().min(1).max(60), code: TotpCode }),
  z.strictObject({ kind: z.literal("passkey"), name: oneLine().min(1).max(60), response: PasskeyRegistration }),
]);
export type FactorAnswer = z.infer<typeof FactorAnswer>;

/** Shown once. Null if the user has codes already. */
const RecoveryCodes = z.array(z.string()).nullable();

export const listFactors = endpoint({
  method: "GET",
  path: "/api/v1/auth/factors",
  summary: "The caller's second factors, and the number of recovery codes left",
  reply: z.object({
    data: z.array(Factor),
    recovery_codes_left: z.number().int(),
    /** The user's role requires a factor, so the last one cannot be removed. */
    is_required: z.boolean(),
  }),
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

export const beginFactor = endpoint({
  method: "POST",
  path: "/api/v1/auth/factors/begin",
  summary: "Start adding a second factor",
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
  summary: "Finish adding a second factor with its first proof",
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
  summary: "Remove one of the caller's second factors; removing the last one removes the recovery codes",
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
  summary: "Create ten new recovery codes; the old ones stop working",
  reply: z.object({ recovery_codes: z.array(z.string()) }),
  needs: "signed-in",
  audit: "factor.codes-renewed",
  gives: "nothing",
  whilePending: true,
  stepUp: true,
  repliesSecret: true,
});

/** For users who lost their factors. They set up a new one at their next sign-in if their role requires one. */
export const resetFactors = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/reset-factors",
  summary: "Remove all second factors of a user, end their sessions, and notify the user",
  params: z.object({ id: UserId }),
  reply: Message,
  needs: "user.manage",
  audit: "factor.reset",
  gives: "right",
  stepUp: true,
  thing: "user",
  sessionOnly: true,
});
