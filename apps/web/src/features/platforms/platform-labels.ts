// Labels of platforms and their policies.
import { SYSTEM_TYPES, SYSTEM_TYPE_OPTIONS, type Platform, type SystemType } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";

/** MySQL and MariaDB share a label (ACC-74). */
export const systemLabel = (type: SystemType): string =>
  SYSTEM_TYPE_OPTIONS.filter(({ value }) => value === type)
    .map(({ label }) => label)
    .join(" / ");

/** "Every day", "Every 6 hours". */
const every = (count: number, unit: string): string =>
  count === 1 ? `Every ${unit}` : `Every ${counted(count, unit)}`;

export function verificationText({ verify_every_hours: hours }: Pick<Platform, "verify_every_hours">): string {
  if (hours === null) return "On request";
  return hours % 24 === 0 ? every(hours / 24, "day") : every(hours, "hour");
}

export function rotationText(platform: Pick<Platform, "rotate_every_days" | "rotate_automatically">): string {
  const { rotate_every_days: days, rotate_automatically: isAutomatic } = platform;
  if (days === null) return "No policy";
  return isAutomatic ? every(days, "day") : `${every(days, "day")}, manual`;
}

const hour = (of: number): string => `${String(of).padStart(2, "0")}:00`;

/** "22:00 to 04:00 UTC"; null without a window or without automatic rotation. */
export function windowText(platform: Pick<Platform, "rotation_window" | "rotate_automatically">): string | null {
  const { rotation_window: window, rotate_automatically: isAutomatic } = platform;
  return window === null || !isAutomatic ? null : `${hour(window.from_hour)} to ${hour(window.to_hour)} UTC`;
}

export const ONE_TIME_UNSUPPORTED =
  "Not available: no connector can rotate passwords for this system and connection method.";

export function approvalsText({ approvals_level_1: first, approvals_level_2: second }: Platform): string {
  if (first === 0) return "None";
  return second === 0 ? counted(first, "person", "people") : `${first} + ${second} people`;
}

/** Tags of access rules that differ from the default. */
export function accessTags(platform: Platform): string[] {
  return [
    ...(platform.exclusive_check_out ? ["Exclusive"] : []),
    ...(platform.one_time_password ? ["One-time password"] : []),
    ...(platform.reason_required ? ["Reason"] : []),
    ...(platform.ticket_required ? ["Ticket"] : []),
  ];
}

/** Groups platforms by system type, in the order of the types in forms. */
export function bySystem(platforms: readonly Platform[]): { system: SystemType; platforms: Platform[] }[] {
  return SYSTEM_TYPES.flatMap((system) => {
    const found = platforms.filter(({ system_type: type }) => type === system);
    return found.length === 0 ? [] : [{ system, platforms: found }];
  });
}
