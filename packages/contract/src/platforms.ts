// Platforms: for each kind of system, how its accounts are verified, changed and lent.
import { z } from "zod";
import { ConnectionMethod, SystemType } from "./account-types.ts";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, Message, Moment, PlatformId, SafeId, oneLine, optionalLines } from "./fields.ts";

/** How generated passwords look. Limits of the target win over wishes: `max_length`, `forbidden_characters`. */
export const PasswordRules = z
  .strictObject({
    length: z.number().int().min(8).max(256),
    /** What the target takes at most. */
    max_length: z.number().int().min(8).max(1024),
    min_lowercase: z.number().int().min(0).max(64),
    min_uppercase: z.number().int().min(0).max(64),
    min_digits: z.number().int().min(0).max(64),
    min_symbols: z.number().int().min(0).max(64),
    /** Printable ASCII that may be used as symbols. */
    symbols: z
      .string()
      .max(64)
      .regex(/^[!-/:-@[-`{-~]*$/, "Symbols are printable ASCII other than letters and digits"),
    /** Characters that never appear, of any class. */
    forbidden_characters: z.string().max(100),
    /** Some targets refuse a password that begins with a digit or symbol. */
    begins_with_letter: z.boolean(),
    /** How many earlier passwords a new one must differ from. */
    history: z.number().int().min(0).max(100),
  })
  .refine((rules) => rules.length <= rules.max_length, {
    path: ["length"],
    message: "The length is more than the target takes",
  })
  .refine((rules) => rules.min_lowercase + rules.min_uppercase + rules.min_digits + rules.min_symbols <= rules.length, {
    path: ["length"],
    message: "The classes ask for more characters than the password has",
  });
export type PasswordRules = z.infer<typeof PasswordRules>;

const days = z.number().int().min(1).max(3650).nullable();
const minutes = z.number().int().min(5).max(10_080);

const ReconcileHost = oneLine()
  .max(253)
  .regex(
    /^(\*\.)?[A-Za-z0-9_][A-Za-z0-9_.-]*$|^[0-9A-Fa-f.:]+(\/\d{1,3})?$/,
    "A name, *.suffix, an address or a network",
  );

/** Everything of a platform that an administrator edits. */
const policy = {
  /** Hours between verifications; null: only when somebody asks. */
  verify_every_hours: z.number().int().min(1).max(8760).nullable(),
  /** Days after which a password is to be changed; null: no policy. */
  rotate_every_days: days,
  /** When they are due, passwords are changed without anybody asking. */
  rotate_automatically: z.boolean().default(true),
  /** Hours of the day, UTC, in which that happens, such as 22 to 4; null: at any time. */
  rotation_window: z
    .strictObject({ from_hour: z.number().int().min(0).max(23), to_hour: z.number().int().min(0).max(23) })
    .refine(({ from_hour, to_hour }) => from_hour !== to_hour, { path: ["to_hour"], message: "The window is empty" })
    .nullable()
    .default(null),
  /** Spreads what is due at the same moment over this many minutes. */
  rotation_jitter_minutes: z.number().int().min(0).max(1440).default(60),
  /** Who sets new passwords: the account itself, or the reconcile account. */
  rotate_as: z.enum(["account", "reconcile-account"]).default("account"),
  /** Days before that in which the account counts as due soon. */
  rotation_notice_days: z.number().int().min(0).max(365),
  password_rules: PasswordRules,
  /** Logs in where an account's own password no longer does. */
  reconcile_account_id: AccountId.nullable(),
  /** Where it may log in beside its own host: names, `*.example.com`, networks such as `10.0.0.0/8`. */
  reconcile_hosts: z.array(ReconcileHost).max(100).default([]),
  /** Safes on whose accounts it acts, beside its own safe: whoever adds accounts there says whose passwords it sets. */
  reconcile_safe_ids: z.array(SafeId).max(1000).default([]),
  /** One person at a time. */
  exclusive_check_out: z.boolean(),
  /** A retrieved secret is changed when the check-out or the grant ends. */
  rotate_after_check_in: z.boolean(),
  /** A secret is given out once: after one retrieval a change is queued at once. */
  one_time_password: z.boolean(),
  /** Approvals needed at level 1 and level 2; 0 at both: none. Level 2 decides after level 1, by other people. */
  approvals_level_1: z.number().int().min(0).max(10),
  approvals_level_2: z.number().int().min(0).max(10),
  /** Extending asks the approvers again. */
  approve_extensions: z.boolean(),
  reason_required: z.boolean(),
  ticket_required: z.boolean(),
  default_duration_minutes: minutes,
  max_duration_minutes: minutes,
  session_recording_required: z.boolean(),
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
  /** Whether the reconcile account could log in and change others when it was last checked; null: never checked. */
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
    message: "The default is longer than the longest",
  })
  .refine((platform) => platform.approvals_level_2 === 0 || platform.approvals_level_1 > 0, {
    path: ["approvals_level_2"],
    message: "Level 2 needs a level 1",
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

/** What was lent already keeps its end; everything else follows the new policy at once. */
export const updatePlatform = endpoint({
  method: "PUT",
  path: "/api/v1/platforms/:id",
  summary: "Change a platform's policy",
  params: byId,
  body: completeBody(NewPlatform),
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
