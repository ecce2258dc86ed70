// Accounts: shared privileged accounts. Each belongs to a safe, which decides on permissions.
import { z } from "zod";
import { ACCOUNT_FIELDS, LOGIN_FIELDS } from "./account-fields.ts";
import { AccountStatus, RotationStatus } from "./account-types.ts";
import { AccountValidationStatus } from "./verification-status.ts";
import { HistoryPage } from "./audit.ts";
import { requireAccountDatabase, withAccountAddress } from "./connection-address.ts";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import { inputsOf, shownOf } from "./field-list.ts";
import {
  AccessRequestId,
  AccountId,
  Confirmation,
  Message,
  Moment,
  PlatformId,
  RotationId,
  SafeId,
  UserId,
  pageQuery,
  oneLine,
  optionalBody,
  manyLines,
} from "./fields.ts";
import { RotationState } from "./rotation.ts";
import { SafePermission } from "./safe-permissions.ts";
import { AccountSecret, CONNECTION_FIELDS, ConnectorFacts } from "./secrets.ts";
import { SecretVersionList, VersionNumber } from "./secret-versions.ts";
import { AccountListFilter, AccountSort } from "./account-list.ts";
import { EffectiveAccess } from "./safes.ts";

/** The user of an exclusive check-out, and its end. */
export const CheckOut = z.object({
  user_id: UserId,
  name: z.string(),
  since: Moment,
  until: Moment,
  is_own: z.boolean(),
});
export type CheckOut = z.infer<typeof CheckOut>;

/**
 * Why the secret cannot be retrieved now: a check-out or grant has ended, and the rotation after it is not verified
 * yet.
 */
export const AccessBlock = z.object({
  /** `stopped`: the rotation is waiting for a user. */
  state: z.enum(["rotating", "stopped"]),
  since: Moment,
  message: z.string(),
  /** Whether the caller can allow access before the rotation. */
  can_allow: z.boolean(),
});
export type AccessBlock = z.infer<typeof AccessBlock>;

const { hostname, ...login } = shownOf(LOGIN_FIELDS);

/** An account as lists and details show it. INVARIANT: none of its fields is a secret. */
export const Account = z.object({
  id: AccountId,
  ...login,
  hostname_ip: hostname,
  ...shownOf(ACCOUNT_FIELDS),
  ...shownOf(CONNECTION_FIELDS),
  platform_id: PlatformId,
  platform_name: z.string(),
  safe_id: SafeId,
  safe_name: z.string(),
  status: AccountStatus,
  last_validation_status: AccountValidationStatus,
  last_validated_at: Moment.nullable(),
  validation_message: z.string().nullable(),
  /** Set when the last validation met a host key other than the pinned one; both as `ssh-ed25519 SHA256:…`. */
  host_key_alarm: z.object({ expected: z.string(), presented: z.string() }).nullable(),
  rotation_status: RotationStatus,
  /** When the active secret was stored or changed. */
  last_rotated_at: Moment,
  rotation_due_at: Moment.nullable(),
  /** The open rotation, or null. */
  open_rotation: z.object({ id: RotationId, state: RotationState, message: z.string() }).nullable(),
  last_accessed: Moment.nullable(),
  /** Null when no connector supports this entry. */
  connector: ConnectorFacts.nullable(),
  check_out: CheckOut.nullable(),
  access_block: AccessBlock.nullable(),
  /** The caller's current permissions. `use` and `retrieve` among them need no other approval. */
  my_permissions: z.array(SafePermission),
  /** The caller could use or retrieve the account after approval. */
  needs_approval: z.boolean(),
  /** The caller's active grant. */
  my_grant: z.object({ request_id: AccessRequestId, ends_at: Moment }).nullable(),
  created_at: Moment,
  updated_at: Moment,
});
export type Account = z.infer<typeof Account>;

/** The editable fields, without the secret. */
const editable = {
  ...inputsOf(LOGIN_FIELDS),
  platform_id: z.uuid("Platform ID is required").pipe(PlatformId),
  ...inputsOf(ACCOUNT_FIELDS),
  ...inputsOf(CONNECTION_FIELDS),
};

export const NewAccount = z
  .strictObject({
    ...editable,
    safe_id: z.uuid("Please select a safe for this account").pipe(SafeId),
    password: AccountSecret,
  })
  .overwrite(withAccountAddress)
  .superRefine(requireAccountDatabase);
export type NewAccount = z.infer<typeof NewAccount>;

/**
 * An edit names every field; `password` only to replace the stored secret with a known one. Null keeps the stored one.
 */
export const AccountEdit = z
  .strictObject({
    ...editable,
    status: z.enum(["active", "disabled"]).optional(),
    password: AccountSecret.nullish().transform((password) => password ?? undefined),
  })
  .overwrite(withAccountAddress)
  .superRefine(requireAccountDatabase);
export type AccountEdit = z.infer<typeof AccountEdit>;

const byId = z.object({ id: AccountId });

const reading = { params: byId, needs: "account.use", scope: "account.read", audit: "none" } as const;
const retrieving = { needs: "account.use", scope: "account.retrieve" } as const;
const managing = { params: byId, needs: "account.use", scope: "account.manage" } as const;

export const listAccounts = endpoint({
  method: "GET",
  path: "/api/v1/accounts",
  summary: "Accounts that the caller can see, newest first unless `sort` names another order",
  query: z.object({
    ...pageQuery(500, 100),
    ...AccountListFilter,
    sort: AccountSort.optional(),
  }),
  reply: z.object({ data: z.array(Account), next_cursor: z.string().nullable() }),
  needs: "account.list",
  audit: "none",
});

/** `requiring_rotation`: due soon and overdue together (OPEN-79). Counts the accounts that the caller can see. */
export const accountStatistics = endpoint({
  method: "GET",
  path: "/api/v1/accounts/statistics",
  summary: "The number of accounts that the caller can see, by status",
  reply: z.object({
    total: z.number().int(),
    active: z.number().int(),
    requiring_rotation: z.number().int(),
    validation_valid: z.number().int(),
    /** Rejected by their targets. */
    validation_invalid: z.number().int(),
    validation_unreachable: z.number().int(),
    validation_misconfigured: z.number().int(),
    validation_pending: z.number().int(),
    validation_untested: z.number().int(),
  }),
  needs: "account.list",
  audit: "none",
});

export const createAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts",
  summary: "Store an account in a safe; the first validation starts automatically if a connector exists",
  body: NewAccount,
  reply: Account,
  status: 201,
  needs: "account.create",
  audit: "account.created",
  gives: "nothing",
});

/** The reason or ticket for a retrieval, as the platform requires. */
const Justification = {
  reason: manyLines().max(500).optional(),
  ticket: oneLine().max(100).optional(),
};

/**
 * ACC-34: the account including its password, for callers who can retrieve it now; counts as a retrieval. Callers who
 * can only see the account get `password: null`.
 */
export const readAccount = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id",
  summary:
    "One account, with its password for callers who can retrieve it; the audit entry is committed before the reply is sent",
  params: byId,
  reply: Account.extend({ password: z.string().nullable() }),
  ...retrieving,
  audit: "account.retrieved",
});

export const readAccountDetails = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/details",
  summary: "One account, without its secret",
  ...reading,
  reply: Account,
});

/** Refused when approval is needed, the reason or ticket is missing, or another user has checked out the account. */
export const retrieveAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/retrieve",
  summary: "Retrieve an account's secret; the audit entry is committed before the reply is sent",
  params: byId,
  body: optionalBody(Justification),
  reply: z.object({ password: z.string(), check_out: CheckOut.nullable() }),
  ...retrieving,
  audit: "account.retrieved",
  gives: "nothing",
  repliesSecret: true,
});

/** Ends the caller's own exclusive check-out; managers of the safe can end any. */
export const checkInAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/check-in",
  summary: "Check in an account",
  params: byId,
  reply: Account,
  ...retrieving,
  audit: "account.checked-in",
  gives: "nothing",
});

/**
 * For secret managers, when the rotation after a use cannot finish soon. The rotation then waits until no user has
 * the secret, and the end of the next use blocks the account again. The rules for access to the secret stay the same.
 */
export const allowAccountAccess = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/allow-access",
  summary: "Allow access to a blocked account before its password is rotated",
  ...managing,
  body: z.strictObject({ reason: manyLines("Reason is required").min(1, "Reason is required").max(500) }),
  reply: Account,
  audit: "account.access-allowed",
  gives: "nothing",
  stepUp: true,
});

export const updateAccount = endpoint({
  method: "PUT",
  path: "/api/v1/accounts/:id",
  summary: "Change an account; with `password`, its secret too (the earlier one is kept as history)",
  ...managing,
  body: completeBody(AccountEdit, {
    entity: Account,
    fixed: ["id", "safe_id", "created_at"],
    derive: ({ hostname_ip }) => ({ hostname: hostname_ip }),
  }),
  reply: Account,
  audit: "account.updated",
  gives: "secret",
  stepUp: "when-giving",
  givesByToken: "safe.share",
});

/**
 * Needs `delete` in the safe that the account leaves, `retrieve` there without approval, and `add` in the target safe.
 * The secrets are sealed again under the target safe's key. If the caller did not join that safe themselves, they must
 * confirm the people who gain access.
 */
export const moveAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/move",
  summary: "Move an account, with its history, to another safe; its grants end",
  ...managing,
  body: z.strictObject({ safe_id: SafeId, confirmation: Confirmation }),
  reply: Account,
  audit: "account.moved",
  gives: "secret",
  stepUp: true,
  givesByToken: "safe.share",
});

export const deleteAccount = endpoint({
  method: "DELETE",
  path: "/api/v1/accounts/:id",
  summary: "Delete an account: its secrets are destroyed immediately, the audit trail is kept",
  ...managing,
  reply: Message,
  audit: "account.deleted",
  gives: "nothing",
});

/** For callers who can view the safe's audit. */
export const readAccountHistory = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/history",
  summary: "The audit history of an account, newest first",
  ...reading,
  query: z.object(pageQuery(200, 50)),
  reply: HistoryPage,
});

export const listAccountVersions = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/versions",
  summary: "The secret's versions, newest first, without any secret",
  ...reading,
  reply: SecretVersionList,
});

/** Under the same conditions as for the active secret. */
export const retrieveAccountVersion = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/versions/:version/retrieve",
  summary: "Retrieve an earlier secret; the audit entry is committed before the reply is sent",
  params: z.object({ id: AccountId, version: VersionNumber }),
  body: optionalBody(Justification),
  reply: z.object({ password: z.string() }),
  ...retrieving,
  audit: "account.version-retrieved",
  gives: "nothing",
  repliesSecret: true,
});

/** Like `explainSafeAccess`, for one account and with its grants. */
export const explainAccountAccess = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/access",
  summary: "Everyone who can use or retrieve this account now, and the source of their access",
  ...reading,
  query: z.object(pageQuery(500, 100)),
  reply: z.object({ access: z.array(EffectiveAccess), next_cursor: z.string().nullable() }),
});
