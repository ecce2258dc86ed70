// Values and validation of the target form. Pure.
import {
  CLOUD_HOSTS,
  DISCOVERY_DEFAULTS,
  DiscoveryTargetEdit,
  hasAccounts,
  NewDiscoveryTarget,
  type DiscoveryTarget,
  type DiscoveryTargetType,
} from "@strongroom/contract";
import { fieldErrorsOf, firstObjections } from "#shared/api/field-errors.ts";
import {
  NO_SCHEDULE,
  SCHEDULE_FIELDS,
  scheduleOf,
  valuesOfSchedule,
  type ScheduleValues,
} from "#shared/discovery/schedule-values.ts";
import type { Found } from "#shared/ui/search-select.tsx";
import { numberOr } from "../discovery-labels.ts";
import type { NewTarget, TargetEdit, TargetLogin } from "../discovery.queries.ts";

export interface TargetFormValues extends ScheduleValues {
  name: string;
  description: string;
  targetType: DiscoveryTargetType;
  safe: Found | null;
  hostname: string;
  credential: Found | null;
  port: string;
  timeout: string;
  isActive: boolean;
  /** The key that a range scan saw; null if none is known. */
  hostKey: DiscoveryTarget["host_key"];
}

const USUAL_TIMEOUT = 30_000;

/** The hostname after this type was chosen: a cloud has its own, and an address that was entered stays. */
export function hostnameFor(type: DiscoveryTargetType, entered: string): string {
  const hosts: Partial<Record<DiscoveryTargetType, string>> = CLOUD_HOSTS;
  const isEntered = entered !== "" && !Object.values(hosts).includes(entered);
  return isEntered ? entered : (hosts[type] ?? "");
}

export const EMPTY_TARGET: TargetFormValues = {
  name: "",
  description: "",
  targetType: "linux",
  safe: null,
  hostname: "",
  credential: null,
  port: String(DISCOVERY_DEFAULTS.linux.port),
  timeout: String(USUAL_TIMEOUT),
  isActive: true,
  hostKey: null,
  ...NO_SCHEDULE,
};

export const formOf = (target: DiscoveryTarget, credentialName: string): TargetFormValues => ({
  name: target.name,
  description: target.description ?? "",
  targetType: target.target_type,
  safe: { value: target.safe_id, label: target.safe_name },
  hostname: target.hostname,
  credential: { value: target.credential_id, label: credentialName },
  port: String(target.settings.port),
  timeout: String(target.settings.timeout),
  isActive: target.is_active,
  hostKey: target.host_key,
  ...valuesOfSchedule(target.schedule),
});

export const loginOf = (values: TargetFormValues): TargetLogin => ({
  targetType: values.targetType,
  connectionMethod: DISCOVERY_DEFAULTS[values.targetType].method,
  hostname: values.hostname,
  credentialId: values.credential?.value ?? "",
  settings: {
    port: numberOr(values.port, DISCOVERY_DEFAULTS[values.targetType].port),
    timeout: numberOr(values.timeout, USUAL_TIMEOUT),
  },
});

/** A schedule that was entered before another type was chosen does not count. */
const accountSchedule = (values: TargetFormValues) => (hasAccounts(values.targetType) ? scheduleOf(values) : null);

const named = ({ name, description }: TargetFormValues) => ({ name, description });

export const newTargetOf = (values: TargetFormValues): NewTarget => ({
  ...named(values),
  ...loginOf(values),
  safeId: values.safe?.value ?? "",
  schedule: accountSchedule(values),
  hostKey: values.hostKey,
});

export const editOf = (values: TargetFormValues): TargetEdit =>
  ({
    ...named(values),
    ...loginOf(values),
    isActive: values.isActive,
    schedule: accountSchedule(values),
  }) as TargetEdit;

/** The fields of each step of the wizard (DISC-11 to DISC-13). */
export const STEPS = [
  { label: "Basic", fields: ["name", "description", "targetType", "safe"] },
  { label: "Connection", fields: ["hostname", "credential"] },
  {
    label: "Settings",
    fields: ["port", "timeout", "cron", "timezone", "jitterMinutes", "windowFrom", "windowTo"],
  },
] as const satisfies readonly { label: string; fields: readonly (keyof TargetFormValues)[] }[];

type Errors = Partial<Record<keyof TargetFormValues, string>>;

const FIELDS: Readonly<Record<string, keyof TargetFormValues>> = {
  safeId: "safe",
  credentialId: "credential",
  "settings.port": "port",
  "settings.timeout": "timeout",
  ...SCHEDULE_FIELDS,
};

const fieldAt = (path: readonly PropertyKey[]): string => {
  const text = path.map(String).join(".");
  return FIELDS[text] ?? text;
};

/** The errors in the fields of the steps up to this one. */
export function checkStep(values: TargetFormValues, step: number, isNew: boolean): Errors {
  const errors: Errors = isNew
    ? firstObjections(NewDiscoveryTarget, newTargetOf(values), fieldAt)
    : firstObjections(DiscoveryTargetEdit, editOf(values), fieldAt);
  const shown = new Set<string>(STEPS.slice(0, step + 1).flatMap(({ fields }) => fields));
  return Object.fromEntries(Object.entries(errors).filter(([field]) => shown.has(field)));
}

const SENT = ["name", "description", "targetType", "hostname", "credentialId", "safeId", "schedule.cron"] as const;
type SentField = (typeof SENT)[number];
const isSent = (path: string): path is SentField => SENT.some((each) => each === path);

/** The server's errors by form field. */
export function objectionsIn(error: unknown): Errors {
  const { credentialId, safeId, "schedule.cron": cron, ...others } = fieldErrorsOf(error, isSent);
  return {
    ...others,
    ...(credentialId === undefined ? {} : { credential: credentialId }),
    ...(cron === undefined ? {} : { cron }),
    ...(safeId === undefined ? {} : { safe: safeId }),
  };
}
