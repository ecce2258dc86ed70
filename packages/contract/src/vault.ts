// Vault: a user's credentials, which are secrets with the targets and user names they are used for.
import { z } from "zod";
import { HistoryPage } from "./audit.ts";
import {
  CredentialStatus,
  CredentialType,
  DATABASE_TYPES,
  Environment,
  isDatabaseType,
  needsSchemaName,
} from "./credential-types.ts";
import { refuseLongAddress, withConnectionAddress, type AddressFields } from "./connection-address.ts";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import { inputsOf, namesOf, shownOf, type FieldList } from "./field-list.ts";
import {
  CredentialId,
  Message,
  Moment,
  UserId,
  manyLines,
  oneLine,
  optionalBody,
  optionalText,
  pageQuery,
  sortBy,
} from "./fields.ts";
import { SecretVersionList, VersionNumber } from "./secret-versions.ts";
import { CONNECTION_FIELDS, ConnectorFacts, SecretValue } from "./secrets.ts";
import { VerificationStatus, VerificationStatusFilter } from "./verification-status.ts";

const NAME_LENGTH = "Name must be 3 to 100 characters";
const USERNAME_LENGTH = "Username must be 2 to 50 characters";

/** The fields that users edit, each written once. */
const CREDENTIAL_FIELDS = {
  name: { input: oneLine().min(3, NAME_LENGTH).max(100, NAME_LENGTH), shown: z.string() },
  type: { input: CredentialType.default("password"), shown: CredentialType },
  username: {
    input: optionalText(50).refine((name) => name === null || name.length >= 2, USERNAME_LENGTH),
    shown: z.string().nullable(),
  },
  host: { input: optionalText(253), shown: z.string().nullable() },
  environment: { input: Environment.default("production"), shown: Environment },
  ...CONNECTION_FIELDS,
} satisfies FieldList;
export type CredentialField = keyof typeof CREDENTIAL_FIELDS;
export const CREDENTIAL_FIELD_NAMES = namesOf(CREDENTIAL_FIELDS);

/** A credential as lists and details show it. INVARIANT: none of its fields is a secret. */
export const Credential = z.object({
  id: CredentialId,
  user_id: UserId,
  ...shownOf(CREDENTIAL_FIELDS),
  status: CredentialStatus,
  verification_status: VerificationStatus,
  verified_at: Moment.nullable(),
  last_verification_attempt: Moment.nullable(),
  /** In plain English, why the last attempt did not verify the secret. */
  verification_error: z.string().nullable(),
  /** Set when the last attempt met a host key other than the pinned one; both as `ssh-ed25519 SHA256:…`. */
  host_key_alarm: z.object({ expected: z.string(), presented: z.string() }).nullable(),
  last_accessed: Moment.nullable(),
  /** Null when no connector supports this entry. */
  connector: ConnectorFacts.nullable(),
  created_at: Moment,
  updated_at: Moment,
});
export type Credential = z.infer<typeof Credential>;

const editable = inputsOf(CREDENTIAL_FIELDS);

interface DatabaseFields extends AddressFields {
  type: string;
  schema_name: string | null;
  connection_string: string | null;
}

/** CRED-38: a connection string overrides host, port and database, so it may name the database. */
const withAddress = <Fields extends DatabaseFields>(fields: Fields): Fields =>
  isDatabaseType(fields.type) ? { ...fields, ...withConnectionAddress(fields.connection_string, fields) } : fields;

/** CRED-32, CRED-33. */
function requireDatabaseFields(fields: DatabaseFields, context: z.RefinementCtx): void {
  if (!isDatabaseType(fields.type)) return;
  refuseLongAddress(fields, context);
  if (fields.database_name === null) {
    context.addIssue({ code: "custom", path: ["database_name"], message: "Database name is required" });
  }
  if (needsSchemaName(fields.type) && fields.schema_name === null) {
    context.addIssue({ code: "custom", path: ["schema_name"], message: "Schema name is required" });
  }
}

export const NewCredential = z
  .strictObject({ ...editable, value: SecretValue })
  .overwrite(withAddress)
  .superRefine(requireDatabaseFields);
export type NewCredential = z.infer<typeof NewCredential>;

/** An edit names every field; `value` only to replace the stored secret with a known one. */
export const CredentialEdit = z
  .strictObject({ ...editable, value: SecretValue.optional() })
  .overwrite(withAddress)
  .superRefine(requireDatabaseFields);
export type CredentialEdit = z.infer<typeof CredentialEdit>;

const byId = z.object({ id: CredentialId });

const reading = { params: byId, needs: "credential.read", audit: "none", whilePending: true } as const;
const revealing = {
  method: "POST",
  reply: z.object({ value: z.string() }),
  needs: "credential.reveal",
  gives: "nothing",
  whilePending: true,
  repliesSecret: true,
} as const;

/** The fields of a credential by which its list can be sorted. */
export const CREDENTIAL_SORT_FIELDS = ["name", "username", "host", "verified_at", "created_at"] as const;
export type CredentialSortField = (typeof CREDENTIAL_SORT_FIELDS)[number];

export const CredentialSort = sortBy(CREDENTIAL_SORT_FIELDS);
export type CredentialSort = z.infer<typeof CredentialSort>;

export const listCredentials = endpoint({
  method: "GET",
  path: "/api/v1/credentials",
  summary: "Credentials that the caller can see, newest first unless sorted otherwise",
  query: z.object({
    ...pageQuery(500, 100),
    search: z.string().trim().max(100).optional(),
    /** `database` matches every database type (OPEN-45). */
    type: CredentialType.optional(),
    environment: Environment.optional(),
    verification_status: VerificationStatusFilter.optional(),
    sort: CredentialSort.optional(),
  }),
  reply: z.object({ data: z.array(Credential), next_cursor: z.string().nullable() }),
  needs: "credential.list",
  audit: "none",
  whilePending: true,
});
export const DATABASE_FILTER: readonly CredentialType[] = DATABASE_TYPES;

export const createCredential = endpoint({
  method: "POST",
  path: "/api/v1/credentials",
  summary: "Store a credential; the first verification starts automatically if a connector exists for its type",
  body: NewCredential,
  reply: Credential,
  status: 201,
  needs: "credential.create",
  audit: "credential.created",
  gives: "nothing",
  whilePending: true,
});

export const readCredential = endpoint({
  method: "GET",
  path: "/api/v1/credentials/:id",
  summary: "One credential, without its secret",
  ...reading,
  reply: Credential,
});

export const updateCredential = endpoint({
  method: "PUT",
  path: "/api/v1/credentials/:id",
  summary: "Change a credential; with `value`, its secret too (the earlier one is kept as history)",
  params: byId,
  body: completeBody(CredentialEdit, { entity: Credential, fixed: ["id", "user_id", "created_at"] }),
  reply: Credential,
  needs: "credential.update",
  audit: "credential.updated",
  gives: "secret",
  stepUp: "when-giving",
  givesByToken: "credential.reveal",
  whilePending: true,
});

export const deleteCredential = endpoint({
  method: "DELETE",
  path: "/api/v1/credentials/:id",
  summary: "Delete a credential: its secret is destroyed immediately, the audit trail is kept",
  params: byId,
  reply: Message,
  needs: "credential.delete",
  audit: "credential.deleted",
  gives: "nothing",
  whilePending: true,
});

export const listCredentialVersions = endpoint({
  method: "GET",
  path: "/api/v1/credentials/:id/versions",
  summary: "The secret's versions, newest first, without any secret",
  ...reading,
  reply: SecretVersionList,
});

/** Includes a rotation's candidate, which may be active on the target: its owner must be able to reach it. */
export const revealCredentialVersion = endpoint({
  ...revealing,
  path: "/api/v1/credentials/:id/versions/:version/reveal",
  summary: "Reveal an earlier secret; the audit entry is committed before the reply is sent",
  params: byId.extend({ version: VersionNumber }),
  audit: "credential.version-revealed",
});

export const revealCredential = endpoint({
  ...revealing,
  path: "/api/v1/credentials/:id/reveal",
  summary: "Reveal a credential's secret; the audit entry is committed before the reply is sent",
  params: byId,
  body: optionalBody({ reason: manyLines().max(500).optional() }),
  audit: "credential.revealed",
});

export const readCredentialHistory = endpoint({
  method: "GET",
  path: "/api/v1/credentials/:id/history",
  summary: "The audit history of a credential, newest first",
  ...reading,
  query: z.object(pageQuery(200, 50)),
  reply: HistoryPage,
});
