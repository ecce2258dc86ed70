// Reads an account for display and fills in missing fields (ACC-16 to ACC-26).
import {
  AccountValidationStatus,
  RotationStatus,
  type Account,
  type AccountValidationStatus as ValidationStatus,
  type RotationStatus as Rotation,
} from "@strongroom/contract";

/** The fields of an account that may be missing and have a fallback. */
export interface RawAccount {
  id: string;
  name: string;
  username: string;
  hostname_ip?: string | null;
  hostname?: string | null;
  last_validation_status?: string | null;
  last_validated_at?: string | null;
  validation_message?: string | null;
  account_type?: string | null;
  safe_name?: string | null;
  platform_id?: string | null;
  system_type?: string | null;
  connection_method?: string | null;
  rotation_status?: string | null;
}

export interface ReadAccount {
  id: string;
  name: string;
  username: string;
  hostname: string;
  validation_status: ValidationStatus;
  last_validation_date: string | null;
  last_validation_result: string | null;
  account_type: string;
  safe_name: string;
  platform_id: string;
  system_type: string;
  connection_method: string;
  rotation_status: Rotation;
}

export const NOT_AVAILABLE = "N/A";

/** The first non-empty text. */
const firstOf = (...texts: readonly (string | null | undefined)[]): string | undefined =>
  texts.find((text): text is string => typeof text === "string" && text.trim() !== "");

const isLinux = (platform: string | null | undefined): boolean => platform?.trim().toLowerCase() === "linux";

export function readAccountAnswer(given: RawAccount): ReadAccount {
  const { platform_id: platform, system_type: system } = given;
  return {
    id: given.id,
    name: given.name,
    username: given.username,
    hostname: firstOf(given.hostname_ip, given.hostname) ?? NOT_AVAILABLE,
    validation_status: AccountValidationStatus.safeParse(given.last_validation_status).data ?? "untested",
    last_validation_date: given.last_validated_at ?? null,
    last_validation_result: given.validation_message ?? null,
    account_type: firstOf(given.account_type) ?? NOT_AVAILABLE,
    safe_name: firstOf(given.safe_name) ?? "Unknown Safe",
    platform_id: firstOf(platform, system) ?? NOT_AVAILABLE,
    system_type: firstOf(system) ?? (isLinux(platform) ? "Linux" : "Windows"),
    connection_method: firstOf(given.connection_method) ?? "SSH",
    rotation_status: RotationStatus.safeParse(given.rotation_status).data ?? "no_policy",
  };
}

/** "db.internal:5432", "[2001:db8::1]:22"; only the host when there is no port. */
export function addressOf({ hostname_ip: host, port }: Pick<Account, "hostname_ip" | "port">): string {
  if (port === null) return host;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
