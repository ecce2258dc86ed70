// Values, validation and payload of the platform form.
import {
  NewPlatform,
  PasswordRules,
  type ConnectionMethod,
  type Platform,
  type SystemType,
} from "@strongroom/contract";
import type { ProposedChange } from "#shared/access-preview/change-preview.tsx";
import { firstObjections } from "#shared/api/field-errors.ts";
import type { Found } from "#shared/ui/search-select.tsx";
import type { ExampleRules } from "./example-password.ts";
import type { PlatformFields } from "./platforms.queries.ts";

/** Numbers, as entered. */
type RuleNumber =
  | "length"
  | "max_length"
  | "min_lowercase"
  | "min_uppercase"
  | "min_digits"
  | "min_symbols"
  | "history";
type PolicyNumber =
  | "verify_every_hours"
  | "rotate_every_days"
  | "rotation_jitter_minutes"
  | "rotation_notice_days"
  | "approvals_level_1"
  | "approvals_level_2"
  | "default_duration_minutes"
  | "max_duration_minutes"
  | "session_recording_days"
  | "session_idle_minutes"
  | "session_from_hour"
  | "session_to_hour";
export type NumberField = RuleNumber | PolicyNumber;

export type SwitchField =
  | "is_active"
  | "begins_with_letter"
  | "rotate_automatically"
  | "exclusive_check_out"
  | "rotate_after_check_in"
  | "one_time_password"
  | "approve_extensions"
  | "reason_required"
  | "ticket_required"
  | "session_needs_watcher"
  | "session_hides_watchers"
  | "session_records_input"
  | "session_allows_shell"
  | "session_allows_exec"
  | "session_allows_sftp"
  | "session_allows_forward"
  | "session_allows_agent"
  | "is_production";

export interface PlatformFormValues extends Record<NumberField, string>, Record<SwitchField, boolean> {
  name: string;
  description: string;
  system_type: SystemType;
  connection_method: ConnectionMethod;
  symbols: string;
  forbidden_characters: string;
  /** Hours of the day in UTC; empty means any time. */
  window_from: string;
  window_to: string;
  rotate_as: Platform["rotate_as"];
  session_login: Platform["session_login"];
  access_until_rotated: Platform["access_until_rotated"];
  reconcile_account: Found | null;
  /** One host per line. */
  reconcile_hosts: string;
  reconcile_safe_ids: string[];
  /** Kept as stored. The form does not offer it, because every session is recorded. */
  session_recording_required: boolean;
  /** Empty means every zone. */
  session_zone: string;
}

export const EMPTY_PLATFORM: PlatformFormValues = {
  name: "",
  description: "",
  system_type: "Linux",
  connection_method: "SSH",
  is_active: true,
  verify_every_hours: "24",
  rotate_every_days: "90",
  rotate_automatically: true,
  window_from: "",
  window_to: "",
  rotation_jitter_minutes: "60",
  rotate_as: "account",
  access_until_rotated: "blocked",
  rotation_notice_days: "14",
  length: "24",
  max_length: "128",
  min_lowercase: "1",
  min_uppercase: "1",
  min_digits: "1",
  min_symbols: "1",
  symbols: "!#%+-=?@_~",
  forbidden_characters: "",
  begins_with_letter: true,
  history: "10",
  reconcile_account: null,
  reconcile_hosts: "",
  reconcile_safe_ids: [],
  exclusive_check_out: false,
  rotate_after_check_in: true,
  one_time_password: false,
  approvals_level_1: "0",
  approvals_level_2: "0",
  approve_extensions: true,
  reason_required: true,
  ticket_required: false,
  default_duration_minutes: "60",
  max_duration_minutes: "480",
  session_recording_required: false,
  session_recording_days: "",
  session_idle_minutes: "",
  session_needs_watcher: false,
  session_hides_watchers: false,
  session_records_input: false,
  session_allows_shell: true,
  session_allows_exec: true,
  session_allows_sftp: true,
  session_allows_forward: false,
  session_allows_agent: false,
  session_login: "secret",
  session_zone: "",
  session_from_hour: "",
  session_to_hour: "",
  is_production: false,
};

const RULE_NUMBERS: readonly RuleNumber[] = [
  "length",
  "max_length",
  "min_lowercase",
  "min_uppercase",
  "min_digits",
  "min_symbols",
  "history",
];
const POLICY_NUMBERS: readonly PolicyNumber[] = [
  "verify_every_hours",
  "rotate_every_days",
  "rotation_jitter_minutes",
  "rotation_notice_days",
  "approvals_level_1",
  "approvals_level_2",
  "default_duration_minutes",
  "max_duration_minutes",
  "session_recording_days",
  "session_idle_minutes",
  "session_from_hour",
  "session_to_hour",
];
/** Empty means never. */
const MAY_BE_EMPTY: readonly NumberField[] = [
  "verify_every_hours",
  "rotate_every_days",
  "session_recording_days",
  "session_idle_minutes",
  "session_from_hour",
  "session_to_hour",
];

const typed = (value: number | null): string => (value === null ? "" : String(value));

/** Without a name of the reconcile account, the field shows its id. */
export function formOf(platform: Platform, reconcileName?: string): PlatformFormValues {
  const { password_rules: rules, reconcile_account_id: reconcile, rotation_window: window, ...rest } = platform;
  return {
    ...EMPTY_PLATFORM,
    ...pick(rest, EMPTY_PLATFORM),
    ...pick(rules, EMPTY_PLATFORM),
    ...numbersOf(rules, RULE_NUMBERS),
    ...numbersOf(platform, POLICY_NUMBERS),
    description: platform.description ?? "",
    session_zone: platform.session_zone ?? "",
    reconcile_hosts: platform.reconcile_hosts.join("\n"),
    window_from: typed(window?.from_hour ?? null),
    window_to: typed(window?.to_hour ?? null),
    reconcile_account: reconcile === null ? null : { value: reconcile, label: reconcileName ?? reconcile },
  };
}

/** A new platform with the values of an existing one. */
export const copyOf = (platform: Platform, reconcileName?: string): PlatformFormValues => ({
  ...formOf(platform, reconcileName),
  name: `Copy of ${platform.name}`.slice(0, 100),
});

function pick(from: object, shape: PlatformFormValues): Partial<PlatformFormValues> {
  return Object.fromEntries(Object.entries(from).filter(([field]) => Object.hasOwn(shape, field)));
}

const numbersOf = <F extends NumberField>(from: Record<F, number | null>, fields: readonly F[]) =>
  Object.fromEntries(fields.map((field) => [field, typed(from[field])])) as Record<F, string>;

/** Empty text becomes NaN, which validation rejects. */
const numberOf = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));
const numberOrNull = (text: string): number | null => (text.trim() === "" ? null : Number(text));

export const rulesOf = (values: PlatformFormValues): ExampleRules & { history: number } => ({
  length: numberOf(values.length),
  max_length: numberOf(values.max_length),
  min_lowercase: numberOf(values.min_lowercase),
  min_uppercase: numberOf(values.min_uppercase),
  min_digits: numberOf(values.min_digits),
  min_symbols: numberOf(values.min_symbols),
  symbols: values.symbols,
  forbidden_characters: values.forbidden_characters,
  begins_with_letter: values.begins_with_letter,
  history: numberOf(values.history),
});

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

type WindowValues = Pick<PlatformFormValues, "window_from" | "window_to">;

const windowOf = ({ window_from: from, window_to: to }: WindowValues): Platform["rotation_window"] =>
  from === "" && to === "" ? null : { from_hour: numberOf(from), to_hour: numberOf(to) };

export const payloadOf = (values: PlatformFormValues): PlatformFields => ({
  name: values.name,
  description: values.description,
  system_type: values.system_type,
  connection_method: values.connection_method,
  is_active: values.is_active,
  verify_every_hours: numberOrNull(values.verify_every_hours),
  rotate_every_days: numberOrNull(values.rotate_every_days),
  rotate_automatically: values.rotate_automatically,
  rotation_window: windowOf(values),
  rotation_jitter_minutes: numberOf(values.rotation_jitter_minutes),
  rotate_as: values.rotate_as,
  rotation_notice_days: numberOf(values.rotation_notice_days),
  password_rules: rulesOf(values),
  reconcile_account_id: values.reconcile_account?.value ?? null,
  reconcile_hosts: linesOf(values.reconcile_hosts),
  reconcile_safe_ids: values.reconcile_safe_ids,
  exclusive_check_out: values.exclusive_check_out,
  rotate_after_check_in: values.rotate_after_check_in,
  access_until_rotated: values.access_until_rotated,
  one_time_password: values.one_time_password,
  approvals_level_1: numberOf(values.approvals_level_1),
  approvals_level_2: numberOf(values.approvals_level_2),
  approve_extensions: values.approve_extensions,
  reason_required: values.reason_required,
  ticket_required: values.ticket_required,
  default_duration_minutes: numberOf(values.default_duration_minutes),
  max_duration_minutes: numberOf(values.max_duration_minutes),
  session_recording_required: values.session_recording_required,
  session_recording_days: numberOrNull(values.session_recording_days),
  session_idle_minutes: numberOrNull(values.session_idle_minutes),
  session_needs_watcher: values.session_needs_watcher,
  session_hides_watchers: values.session_hides_watchers,
  session_records_input: values.session_records_input,
  session_allows_shell: values.session_allows_shell,
  session_allows_exec: values.session_allows_exec,
  session_allows_sftp: values.session_allows_sftp,
  session_allows_forward: values.session_allows_forward,
  session_allows_agent: values.session_allows_agent,
  session_login: values.session_login,
  session_zone: values.session_zone.trim() === "" ? null : values.session_zone.trim(),
  session_from_hour: numberOrNull(values.session_from_hour),
  session_to_hour: numberOrNull(values.session_to_hour),
  is_production: values.is_production,
});

interface Bounds {
  min: number;
  max: number;
}

interface NumberShape {
  minValue: number | null;
  maxValue: number | null;
}

/** Without its default and its null. */
const numberIn = (shape: NumberShape | { unwrap: () => unknown }): NumberShape =>
  "unwrap" in shape ? numberIn(shape.unwrap() as NumberShape | { unwrap: () => unknown }) : shape;

/** The bounds in the contract's schema. */
export function boundsOf(field: NumberField): Bounds {
  const shapes = { ...NewPlatform.shape, ...PasswordRules.shape };
  const shape = shapes[field];
  const { minValue, maxValue } = numberIn(shape);
  return { min: minValue ?? 0, max: maxValue ?? Number.MAX_SAFE_INTEGER };
}

/** The change to preview before saving. Null when approvals are unchanged or invalid. */
export function approvalsChange(platform: Platform, values: PlatformFormValues): ProposedChange | null {
  const { approvals_level_1, approvals_level_2 } = payloadOf(values);
  const errors = checkPlatform(values);
  if (errors.approvals_level_1 !== undefined || errors.approvals_level_2 !== undefined) return null;
  const isSame = approvals_level_1 === platform.approvals_level_1 && approvals_level_2 === platform.approvals_level_2;
  return isSame ? null : { kind: "platform-approvals", platform_id: platform.id, approvals_level_1, approvals_level_2 };
}

export type PlatformFormErrors = Partial<Record<keyof PlatformFormValues, string>>;

export const isField = (path: string): path is keyof PlatformFormValues => Object.hasOwn(EMPTY_PLATFORM, path);

/** Contract fields with other names in the form. */
const FORM_NAMES: Record<string, keyof PlatformFormValues> = {
  reconcile_account_id: "reconcile_account",
  from_hour: "window_from",
  to_hour: "window_to",
  rotation_window: "window_from",
};

/** Maps a path of the contract to its form field. */
export function fieldAt(path: readonly PropertyKey[]): string {
  const [first, second] = path.map(String);
  const isWithin = first === "password_rules" || first === "rotation_window";
  const name = (isWithin ? second : first) ?? (first === "password_rules" ? "length" : first) ?? "";
  return FORM_NAMES[name] ?? name;
}

/** A window requires both hours. */
function checkWindow({ window_from: from, window_to: to }: WindowValues): PlatformFormErrors {
  const missing = "Choose both hours, or any time for both";
  return {
    ...(from === "" && to !== "" ? { window_from: missing } : {}),
    ...(to === "" && from !== "" ? { window_to: missing } : {}),
  };
}

/** Reports the bounds of numbers; the contract validates the rest. An empty result means the form is valid. */
export function checkPlatform(values: PlatformFormValues): PlatformFormErrors {
  const outOfBounds = [...RULE_NUMBERS, ...POLICY_NUMBERS].flatMap((field) => {
    if (values[field].trim() === "" && MAY_BE_EMPTY.includes(field)) return [];
    const { min, max } = boundsOf(field);
    const value = numberOf(values[field]);
    const isWithin = Number.isInteger(value) && value >= min && value <= max;
    return isWithin ? [] : [[field, `Enter a whole number from ${min} to ${max}`] as const];
  });
  return {
    ...firstObjections<keyof PlatformFormValues>(NewPlatform, payloadOf(values), fieldAt),
    ...Object.fromEntries(outOfBounds),
    ...checkWindow(values),
    ...(values.rotate_as === "reconcile-account" && values.reconcile_account === null
      ? { rotate_as: "Choose a reconcile account below" }
      : {}),
  };
}
