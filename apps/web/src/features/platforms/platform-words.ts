// What platforms and their policies are called on screen.
import {
  SYSTEM_TYPES,
  SYSTEM_TYPE_OPTIONS,
  type ConnectionMethod,
  type Platform,
  type SystemType,
} from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";

/** MySQL and MariaDB are one kind of system (ACC-74). */
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
  return isAutomatic ? every(days, "day") : `${every(days, "day")}, by hand`;
}

const hour = (of: number): string => `${String(of).padStart(2, "0")}:00`;

/** "22:00 to 04:00 UTC"; null: at any time, or never by itself. */
export function windowText(platform: Pick<Platform, "rotation_window" | "rotate_automatically">): string | null {
  const { rotation_window: window, rotate_automatically: isAutomatic } = platform;
  return window === null || !isAutomatic ? null : `${hour(window.from_hour)} to ${hour(window.to_hour)} UTC`;
}

export function approvalsText({ approvals_level_1: first, approvals_level_2: second }: Platform): string {
  if (first === 0) return "None";
  return second === 0 ? counted(first, "person", "people") : `${first} + ${second} people`;
}

/** What is out of the ordinary in how its accounts are lent. */
export function lendingTags(platform: Platform): string[] {
  return [
    ...(platform.exclusive_check_out ? ["Exclusive"] : []),
    ...(platform.one_time_password ? ["One-time password"] : []),
    ...(platform.reason_required ? ["Reason"] : []),
    ...(platform.ticket_required ? ["Ticket"] : []),
  ];
}

/** Platforms by the kind of system, in the order in which the forms offer the kinds. */
export function bySystem(platforms: readonly Platform[]): { system: SystemType; platforms: Platform[] }[] {
  return SYSTEM_TYPES.flatMap((system) => {
    const found = platforms.filter(({ system_type: type }) => type === system);
    return found.length === 0 ? [] : [{ system, platforms: found }];
  });
}

/** How one usually connects to a kind of system. */
export function usualConnection(system: SystemType): ConnectionMethod {
  switch (system) {
    case "oracle":
    case "mssql":
    case "mysql":
    case "postgresql":
    case "mongodb":
      return "SQL";
    case "Windows":
      return "RDP";
    case "AWS":
    case "Azure":
    case "Application":
    case "Website":
      return "HTTPS";
    case "Linux":
    case "Unix/AIX":
    case "Network Device":
    case "Security Appliance":
      return "SSH";
    default:
      return system satisfies never;
  }
}
