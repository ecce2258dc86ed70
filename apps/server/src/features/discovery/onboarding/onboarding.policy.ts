// Decides what onboarding does with a discovered account: its name, its platform, and what to point out. Pure.
import { LOGIN_FIELDS } from "@strongroom/contract";
import type { OnboardingSettings } from "@strongroom/contract";
import type { PlannedRow, PlatformChoice } from "./planning.store.ts";

const DAYS = { "30days": 30, "60days": 60, "90days": 90, manual: null } as const;

const LONGEST_NAME = 100;

/** The new account's name, such as `root on web-01`. */
export function nameFor({ account_name, hostname }: Pick<PlannedRow, "account_name" | "hostname">): string {
  const name = `${account_name} on ${hostname}`;
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
}

/** Why a name that a system reported cannot be stored as a user name; null if it can. Nothing is corrected silently. */
export function obstacleToName(name: string): string | null {
  if (name !== name.trim()) return "The account's name begins or ends with a space, so it cannot be onboarded.";
  const read = LOGIN_FIELDS.username.input.safeParse(name);
  if (read.success) return null;
  return name.length > 128
    ? "The account's name is longer than 128 characters, so it cannot be onboarded."
    : "The account's name contains control or invisible characters, so it cannot be onboarded.";
}

type Policy = Pick<PlatformChoice, "rotate_every_days" | "rotate_automatically" | "verify_every_hours">;

/** The platform decides how often passwords rotate and are verified; this says where it differs from the request. */
export function differencesFrom(settings: OnboardingSettings, platform: Policy & { name: string }): string[] {
  const wanted = DAYS[settings.rotationPolicy];
  const days = platform.rotate_automatically ? platform.rotate_every_days : null;
  const notes: string[] = [];
  if (days !== wanted) {
    const usual = days === null ? "does not rotate passwords automatically" : `rotates passwords every ${days} days`;
    const asked = wanted === null ? "manually" : `every ${wanted} days`;
    notes.push(`The platform "${platform.name}" ${usual}; you chose ${asked}. The platform's policy applies.`);
  }
  if (settings.monitoring && platform.verify_every_hours === null) {
    notes.push(`The platform "${platform.name}" does not verify passwords regularly.`);
  }
  if (!settings.monitoring && platform.verify_every_hours !== null) {
    notes.push(`The platform "${platform.name}" verifies passwords every ${platform.verify_every_hours} hours.`);
  }
  return notes;
}

/**
 * The platform without a choice or rule: that of the target's credential, unless another one for the same kind of
 * system matches the requested rotation policy. For automatic rotation, one with a reconcile account is preferred.
 */
export function choosePlatform(
  settings: OnboardingSettings,
  usual: PlatformChoice,
  all: Iterable<PlatformChoice>,
): PlatformChoice {
  const score = (each: PlatformChoice): number =>
    (settings.autoRotate && each.reconcile_account_id !== null ? 4 : 0) +
    (differencesFrom({ ...settings, monitoring: each.verify_every_hours !== null }, each).length === 0 ? 2 : 0) +
    (each.id === usual.id ? 1 : 0);
  const alike = [...all].filter(
    (each) =>
      each.is_active && each.system_type === usual.system_type && each.connection_method === usual.connection_method,
  );
  return alike.reduce((best, each) => (score(each) > score(best) ? each : best), usual);
}

export function notesOn({ is_locked, missing_since, facts, ...row }: PlannedRow, platform: PlatformChoice): string[] {
  const keys = facts["keys"];
  return [
    ...(row.system_type === platform.system_type
      ? []
      : [`The platform "${platform.name}" is for ${platform.system_type}.`]),
    ...(missing_since === null ? [] : ["The latest scan no longer found this account."]),
    ...(is_locked ? ["The account is locked on the system."] : []),
    ...(Array.isArray(keys) && keys.length > 0
      ? ["The account also accepts SSH keys. They keep working after the password is set."]
      : []),
  ];
}
