// Secrets: the fields that credentials and accounts share, and the limits of a secret's value.
import { z } from "zod";
import { namesOf, type FieldList } from "./field-list.ts";
import { encodesUnseen, optionalText } from "./fields.ts";
import { holdsSecret } from "./secret-names.ts";

/** The capabilities of the connector of a stored secret. */
export const ConnectorFacts = z.object({
  /** The kind of target, such as "PostgreSQL". */
  name: z.string(),
  /** False when the connector was tested only against a fake. */
  is_proven: z.boolean(),
  /** Whether the secret can be changed by logging in with it. */
  can_change: z.boolean(),
  /** Whether a reconcile account can set the secret. */
  can_reconcile: z.boolean(),
});
export type ConnectorFacts = z.infer<typeof ConnectorFacts>;

/** Numeric text is accepted (OPEN-81). */
const Port = z.coerce
  .number()
  .int()
  .min(1, "Port must be between 1 and 65535")
  .max(65535, "Port must be between 1 and 65535");

/** `scheme://…` as accepted by the WHATWG URL parser (OPEN-82), without a password, which belongs in the secret. */
const ConnectionString = optionalText(2000).superRefine((text, context) => {
  if (text === null) return;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) {
    context.addIssue({ code: "custom", message: "Connection string must have the form scheme://host:port/database" });
    return;
  }
  if (encodesUnseen(text)) {
    context.addIssue({ code: "custom", message: "Connection string must not contain control characters" });
  }
  if (holdsSecret(text)) {
    context.addIssue({ code: "custom", message: "Put the password in the secret field, not in the connection string" });
  }
});

const AdditionalParams = z
  .record(z.string().max(100), z.json())
  .nullish()
  .transform((params) => params ?? {})
  .refine(
    (params) => JSON.stringify(params).length <= 10_000,
    "Additional parameters can have at most 10,000 characters",
  )
  .refine((params) => !holdsSecret(params), "Additional parameters are not encrypted: put secrets in the secret field");

/** The columns of `credentials` that accounts and the credentials of vaults both let users edit. */
export const CONNECTION_FIELDS = {
  port: {
    input: z
      .union([z.literal("").transform(() => null), z.null(), Port])
      .optional()
      .transform((value) => value ?? null),
    shown: z.number().int().nullable(),
  },
  database_name: { input: optionalText(128), shown: z.string().nullable() },
  schema_name: { input: optionalText(128), shown: z.string().nullable() },
  connection_string: { input: ConnectionString, shown: z.string().nullable() },
  ssl_enabled: {
    input: z
      .boolean()
      .nullish()
      .transform((isEnabled) => isEnabled ?? false),
    shown: z.boolean(),
  },
  additional_params: { input: AdditionalParams, shown: z.record(z.string(), z.json()) },
} satisfies FieldList;
export type ConnectionField = keyof typeof CONNECTION_FIELDS;
export const CONNECTION_FIELD_NAMES = namesOf(CONNECTION_FIELDS);

/** 64 KiB hold the longest certificate chain with its key. */
const secretText = (shortest: number, tooShort: string) =>
  z
    .string()
    .refine((text) => text.isWellFormed(), "Password/secret contains an invalid character")
    .min(shortest, tooShort)
    .max(65_536, "Password/secret can have at most 65,536 characters");

/** The secret of a credential (CRED-30). */
export const SecretValue = secretText(8, "Password/secret must be at least 8 characters");

/**
 * The secret of an account. Some legacy targets accept only short ones, so the forms warn and the server refuses
 * none.
 */
export const AccountSecret = secretText(1, "Password is required");
