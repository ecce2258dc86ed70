// Platforms: how accounts of one kind of system are verified, rotated and checked out.
import { z } from "zod";
import { ConnectionMethod, SystemType } from "./account-types.ts";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, Message, Moment, PlatformId, SafeId, oneLine, optionalLines } from "./fields.ts";

/** The form of generated passwords. The target's limits take precedence: `max_length`, `forbidden_characters`. */
export const PasswordRules = z
  .strictObject({
    length: z.number().int().min(8).max(256),
    /** The longest password that the target accepts. */
    max_length: z.number().int().min(8).max(1024),
    min_lowercase: z.number().int().min(0).max(64),
    min_uppercase: z.number().int().min(0).max(64),
    min_digits: z.number().int().min(0).max(64),
    min_symbols: z.number().int().min(0).max(64),
    /** Printable ASCII characters to use as symbols. */
    symbols: z
      .string()
      .max(64)
      .regex(/^[!-/:-@[-`{-~]*$/, "Symbols must be printable ASCII other than letters and digits"),
    /** Characters that never appear, of any class. */
    forbidden_characters: z.string().max(100),
    /** Some targets refuse a password that starts with a digit or symbol. */
    begins_with_letter: z.boolean(),
    /** How many earlier passwords a new one must differ from. */
    history: z.number().int().min(0).max(100),
  })
  .refine((rules) => rules.length <= rules.max_length, {
    path: ["length"],
    message: "The length exceeds the target's maximum",
  })
  .refine((rules) => rules.min_lowercase + rules.min_uppercase + rules.min_digits + rules.min_symbols <= rules.length, {
    path: ["length"],
    message: "The password length is too short for the required characters",
  });
export type PasswordRules = z.infer<typeof PasswordRules>;

const days = z.number().int().min(1).max(3650).nullable();
const minutes = z.number().int().min(5).max(10_080);

const ReconcileHost = oneLine()
  .max(253)
  .regex(
    /^(\*\.)?[A-Za-z0-9_][A-Za-z0-9_.-]*$|^[0-9A-Fa-f.:]+(\/\d{1,3})?$/,
    "Must be a name, *.suffix, an address or a network",
  );

/** Every field of a platform that an administrator edits. */
const policy = {
  /** Hours between verifications; null if verified only on request. */
  verify_every_hours: z.number().int().min(1).max(8760).nullable(),
  /** The maximum age of a password in days; null without a policy. */
  rotate_every_days: days,
  /** Rotate passwords automatically when they are due. */
  rotate_automatically: z.boolean().default(true),
  /** Hours of the day, UTC, for automatic rotation, such as 22 to 4; null for any time. */
  rotation_window: z
    .strictObject({ from_hour: z.number().int().min(0).max(23), to_hour: z.number().int().min(0).max(23) })
    .refine(({ from_hour, to_hour }) => from_hour !== to_hour, {
      path: ["to_hour"],
      message: "The window must not start and end at the same hour",
    })
    .nullable()
    .default(null),
  /** Spreads rotations that are due at the same moment over this many minutes. */
  rotation_jitter_minutes: z.number().int().min(0).max(1440).default(60),
  /** The login that sets new passwords: the account itself, or the reconcile account. */
  rotate_as: z.enum(["account", "reconcile-account"]).default("account"),
  /** The account counts as due soon this many days before. */
  rotation_notice_days: z.number().int().min(0).max(365),
  password_rules: PasswordRules,
  /** Resets an account whose own password no longer works. */
  reconcile_account_id: AccountId.nullable(),
  /**
   * Where the reconcile account may log in besides its own host: names, `*.example.com`, networks such as `10.0.0.0/8`.
   */
  reconcile_hosts: z.array(ReconcileHost).max(100).default([]),
  /**
   * Safes on whose accounts the reconcile account acts, besides its own safe: users who can add accounts there decide
   * whose passwords it sets.
   */
  reconcile_safe_ids: z.array(SafeId).max(1000).default([]),
  /** Only one user at a time can check out an account. */
  exclusive_check_out: z.boolean(),
  /** Rotate a retrieved secret when the check-out or the grant ends. */
  rotate_after_check_in: z.boolean(),
  /**
   * From the end of a use until that rotation is verified. `blocked`: the account cannot be checked out. `allowed`:
   * it can, and the rotation waits until no user has the secret.
   */
  access_until_rotated: z.enum(["blocked", "allowed"]).default("blocked"),
  /** A secret is retrieved once: its rotation is queued right after the retrieval. */
  one_time_password: z.boolean(),
  /**
   * Approvals needed at level 1 and level 2; 0 at both means none. Different users decide at level 2, after level 1.
   */
  approvals_level_1: z.number().int().min(0).max(10),
  approvals_level_2: z.number().int().min(0).max(10),
  /** An extension needs approval again. */
  approve_extensions: z.boolean(),
  reason_required: z.boolean(),
  ticket_required: z.boolean(),
  default_duration_minutes: minutes,
  max_duration_minutes: minutes,
  session_recording_required: z.boolean(),
  /** Days after the end of a session until its recording is deleted; null if never. */
  session_recording_days: z.number().int().min(1).max(36_500).nullable().default(null),
  /** A session ends when its user has typed nothing for this many minutes; null if never. */
  session_idle_minutes: z.number().int().min(1).max(1440).nullable().default(null),
  /** Four eyes: a session pauses whenever no other user watches it. */
  session_needs_watcher: z.boolean().default(false),
  /** Users do not see that their session is watched. */
  session_hides_watchers: z.boolean().default(false),
  /** What users type in terminals is recorded; text that the screen does not show is masked. */
  session_records_input: z.boolean().default(false),
  /** Only gateways of this zone open sessions; null: every gateway. */
  session_zone: oneLine().min(1).max(60).nullable().default(null),
  /** Sessions may open a shell. Every session in a browser is a shell. */
  session_allows_shell: z.boolean().default(true),
  /** Native clients may run single commands (`ssh host command`). */
  session_allows_exec: z.boolean().default(true),
  /** Native clients may transfer files by SFTP. */
  session_allows_sftp: z.boolean().default(true),
  /** Native clients may connect through the target to other hosts (`ssh -L`, `ssh -D`). */
  session_allows_forward: z.boolean().default(false),
  /** The target may use the SSH agent of a native client (`ssh -A`). */
  session_allows_agent: z.boolean().default(false),
  /** Gateways log in with the account's secret, or with a certificate of the SSH user CA that the target trusts. */
  session_login: z.enum(["secret", "certificate"]).default("secret"),
  /** The usual hours of work, UTC, Monday to Friday, such as 7 to 19. Sessions outside them are a risk. */
  session_from_hour: z.number().int().min(0).max(23).nullable().default(null),
  session_to_hour: z.number().int().min(0).max(23).nullable().default(null),
  /** Sessions on production systems are a risk. */
  is_production: z.boolean().default(false),
};

export const Platform = z.object({
  id: PlatformId,
  name: z.string(),
  description: z.string().nullable(),
  system_type: SystemType,
  connection_method: ConnectionMethod,
  is_active: z.boolean(),
  ...policy,
  account_count: z.number().int(),
  /** Whether the reconcile account could log in and change other accounts at the last check; null if never checked. */
  reconcile_readiness: z.object({ is_ready: z.boolean(), message: z.string(), checked_at: Moment }).nullable(),
  created_at: Moment,
  updated_at: Moment,
});
export type Platform = z.infer<typeof Platform>;

const NAME_LENGTH = "Platform name must be 3 to 100 characters";
export const NewPlatform = z
  .strictObject({
    name: oneLine().min(3, NAME_LENGTH).max(100, NAME_LENGTH),
    description: optionalLines(500),
    system_type: SystemType,
    connection_method: ConnectionMethod,
    is_active: z.boolean().default(true),
    ...policy,
  })
  .refine((platform) => platform.default_duration_minutes <= platform.max_duration_minutes, {
    path: ["default_duration_minutes"],
    message: "The default must not be longer than the maximum",
  })
  .refine(
    ({ session_from_hour: from, session_to_hour: to }) =>
      (from === null) === (to === null) && (from === null || from !== to),
    {
      path: ["session_to_hour"],
      message: "Enter two different hours, or neither",
    },
  )
  .refine((platform) => platform.approvals_level_2 === 0 || platform.approvals_level_1 > 0, {
    path: ["approvals_level_2"],
    message: "Level 2 requires approvals at level 1",
  });
export type NewPlatform = z.infer<typeof NewPlatform>;

const byId = z.object({ id: PlatformId });

export const listPlatforms = endpoint({
  method: "GET",
  path: "/api/v1/platforms",
  summary: "Platforms, by name",
  query: z.object({ system_type: SystemType.optional(), is_active: z.stringbool().optional() }),
  reply: z.object({ platforms: z.array(Platform) }),
  needs: "platform.read",
  audit: "none",
});

/** The capabilities of connectors for the passwords of each kind of system. A missing pair has none. */
export const PlatformCapability = z.object({
  system_type: SystemType,
  connection_method: ConnectionMethod,
  can_change: z.boolean(),
  /** Only with a reconcile account. */
  can_reconcile: z.boolean(),
});
export type PlatformCapability = z.infer<typeof PlatformCapability>;

export const listPlatformCapabilities = endpoint({
  method: "GET",
  path: "/api/v1/platform-capabilities",
  summary: "System types whose passwords a connector can rotate",
  reply: z.object({ capabilities: z.array(PlatformCapability) }),
  needs: "platform.read",
  audit: "none",
});

/** Whether passwords on such a platform can be rotated by Strongroom. */
export function canRotateOn(
  capabilities: readonly PlatformCapability[],
  platform: Pick<Platform, "system_type" | "connection_method" | "reconcile_account_id">,
): boolean {
  return capabilities.some(
    (each) =>
      each.system_type === platform.system_type &&
      each.connection_method === platform.connection_method &&
      (each.can_change || (each.can_reconcile && platform.reconcile_account_id !== null)),
  );
}

export const readPlatform = endpoint({
  method: "GET",
  path: "/api/v1/platforms/:id",
  summary: "One platform",
  params: byId,
  reply: Platform,
  needs: "platform.read",
  audit: "none",
});

export const createPlatform = endpoint({
  method: "POST",
  path: "/api/v1/platforms",
  summary: "Create a platform",
  body: NewPlatform,
  reply: Platform,
  status: 201,
  needs: "platform.manage",
  audit: "platform.created",
  gives: "nothing",
  stepUp: true,
});

/** Existing grants keep their end; everything else follows the new policy immediately. */
export const updatePlatform = endpoint({
  method: "PUT",
  path: "/api/v1/platforms/:id",
  summary: "Change a platform's policy",
  params: byId,
  body: completeBody(NewPlatform, { entity: Platform, fixed: ["id", "created_at"] }),
  reply: Platform,
  needs: "platform.manage",
  audit: "platform.updated",
  gives: "right",
  stepUp: true,
  givesByToken: "platform.manage",
  thing: "platform",
});

export const deletePlatform = endpoint({
  method: "DELETE",
  path: "/api/v1/platforms/:id",
  summary: "Delete a platform that no account uses",
  params: byId,
  reply: Message,
  needs: "platform.manage",
  audit: "platform.deleted",
  gives: "nothing",
  stepUp: true,
  thing: "platform",
});
