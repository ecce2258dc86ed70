// Dependents: everything else that uses an account's password and is updated or notified after a rotation.
import { z } from "zod";
import { AccountId, DependentId, FindingId, HostKey, Message, Moment, oneLine } from "./fields.ts";
import { endpoint } from "./endpoint.ts";

export const DEPENDENT_KINDS = ["account", "authorized-key", "ssh-file", "webhook", "linked-user"] as const;

const accountId = AccountId;
/** The settings of a dependent, by kind. INVARIANT: none of these settings is a secret. */
export const DependentConfig = z.discriminatedUnion("kind", [
  /** Another stored account with the same password, which is stored there too, and verified. */
  z.strictObject({ kind: z.literal("account"), account_id: accountId }),
  /**
   * Another SSH login that trusts the public half of the account's key. The old key logs in and adds the new one beside it; the
   * old one is removed once the new one has logged in.
   */
  z.strictObject({
    kind: z.literal("authorized-key"),
    host: oneLine().min(1).max(253),
    port: z.number().int().min(1).max(65_535).default(22),
    username: oneLine().min(1).max(128),
    /** The key that the host must present; null trusts and stores the first one. */
    host_key: HostKey.strict().nullable().default(null),
  }),
  /** A file on a Linux host, written through a stored account: `template` with {{username}} and {{password}}. */
  z.strictObject({
    kind: z.literal("ssh-file"),
    via_account_id: accountId,
    path: oneLine()
      .min(2)
      .max(500)
      .regex(/^\/[^\0]*[^/\0]$/, "Must be an absolute file path"),
    template: z
      .string()
      .min(1)
      .max(20_000)
      .includes("{{password}}", { message: "The template does not contain {{password}}" }),
    mode: z
      .string()
      .regex(/^0?[0-7]{3}$/, "Must be a file mode such as 600")
      .default("600"),
    /** Reloaded afterwards, by name: `systemctl reload <unit>`. */
    reload_unit: oneLine()
      .max(100)
      .regex(/^[\w@.:-]+$/, "Must be a unit name")
      .nullable()
      .default(null),
  }),
  /** Notified by a signed HTTPS POST (HMAC-SHA-256 over the body); the body never contains the password. */
  z.strictObject({ kind: z.literal("webhook"), url: z.url({ protocol: /^https?$/ }).max(1000) }),
  /** A user with the same password on another PostgreSQL or MySQL server, set there through a stored account. */
  z.strictObject({ kind: z.literal("linked-user"), via_account_id: accountId, username: oneLine().min(1).max(128) }),
  /**
   * The places of the password in a file on a Linux host, found by the previous password and replaced through a stored
   * account. Added by vaulting a finding.
   */
  z.strictObject({
    kind: z.literal("file-value"),
    via_account_id: accountId,
    path: z.string().min(2).max(4096).startsWith("/"),
  }),
  /**
   * A file on a Linux host in which the password is replaced once with a reference to this account, which `strongroom
   * inject` and `strongroom run` resolve. Added by vaulting a finding.
   */
  z.strictObject({
    kind: z.literal("file-reference"),
    via_account_id: accountId,
    path: z.string().min(2).max(4096).startsWith("/"),
  }),
]);
export type DependentConfig = z.infer<typeof DependentConfig>;

/** The account that takes the secret over, or that delivers it; null for dependents without one. */
export function otherAccountOf(config: DependentConfig): AccountId | null {
  if (config.kind === "account") return config.account_id;
  return "via_account_id" in config ? config.via_account_id : null;
}

export const Dependent = z.object({
  id: DependentId,
  name: z.string(),
  /**
   * Null for callers who cannot manage the account's secret, because the settings name other accounts, hosts and files.
   */
  config: DependentConfig.nullable(),
  /** `current`: has the active password. `attention`: failed permanently and needs a user's action. */
  state: z.enum(["current", "pending", "waiting", "attention"]),
  message: z.string().nullable(),
  tries: z.number().int(),
  updated_at: Moment.nullable(),
  next_at: Moment.nullable(),
});
export type Dependent = z.infer<typeof Dependent>;

const NewDependent = z.strictObject({ name: oneLine().min(1).max(100), config: DependentConfig });
const byAccount = z.object({ id: AccountId });
const byDependent = z.object({ id: AccountId, dependentId: DependentId });

export const listDependents = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/dependents",
  summary: "The dependents of an account",
  params: byAccount,
  reply: z.object({ dependents: z.array(Dependent) }),
  needs: "account.use",
  scope: "account.read",
  audit: "none",
});

/**
 * Needs `update_properties` and `manage_secret` in the account's safe, and the permission to manage the secret in the
 * safe of the account that the dependent uses.
 */
export const addDependent = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/dependents",
  summary: "Add a dependent to an account",
  params: byAccount,
  body: NewDependent,
  /** For a webhook: the key that signs its calls, returned once. */
  reply: Dependent.extend({ signing_key: z.string().nullable() }),
  status: 201,
  needs: "account.use",
  scope: "account.manage",
  audit: "account.dependent-added",
  gives: "secret",
  stepUp: true,
  givesByToken: "safe.share",
  repliesSecret: true,
});

export const removeDependent = endpoint({
  method: "DELETE",
  path: "/api/v1/accounts/:id/dependents/:dependentId",
  summary: "Remove a dependent from an account",
  params: byDependent,
  reply: Message,
  needs: "account.use",
  scope: "account.manage",
  audit: "account.dependent-removed",
  gives: "nothing",
});

export const updateDependent = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/dependents/:dependentId/update",
  summary: "Update a dependent now",
  params: byDependent,
  reply: Dependent,
  needs: "account.use",
  scope: "account.manage",
  audit: "account.dependent-update-asked",
  gives: "secret",
  stepUp: true,
  givesByToken: "safe.share",
});

/** A use of the account that scans found and that is not among its dependents. */
export const ProposedDependent = z.object({
  /** `file`, `account`, or the kind of a use that a scan of accounts reported, such as `service`. */
  kind: z.string(),
  name: z.string(),
  /** The host. */
  place: z.string(),
  /** One line of evidence. Never a secret. */
  detail: z.string().nullable(),
  /** False for units and jobs that run as the account without its password. */
  holds_password: z.boolean(),
  /** The settings with which `addDependent` adds it; null if Strongroom cannot update it. */
  config: DependentConfig.nullable(),
  /** Why Strongroom cannot update it, and what to do instead. */
  obstacle: z.string().nullable(),
  /** The finding that shows the password in a file. */
  finding_id: FindingId.nullable(),
});
export type ProposedDependent = z.infer<typeof ProposedDependent>;

/** Needs the permissions of `addDependent` on the account. Lists only what the caller's scans and safes show anyway. */
export const listProposedDependents = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/dependents/proposed",
  summary: "Uses of an account that scans found and that are not among its dependents",
  params: byAccount,
  reply: z.object({ proposed: z.array(ProposedDependent) }),
  needs: "account.use",
  sessionOnly: true,
  audit: "none",
});
