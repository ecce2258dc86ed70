// Values, validation (the contract's rules) and request body of the new token form.
import { NewToken, SCOPE_SETS, type SafeId, type Scope, type ScopeSet } from "@strongroom/contract";
import { firstObjections } from "#shared/api/field-errors.ts";

export interface TokenFormValues {
  name: string;
  /** A predefined set, or "chosen" for the scopes below. */
  preset: ScopeSet | "chosen";
  scopes: Scope[];
  is_limited: boolean;
  safe_ids: string[];
  /** One per line. */
  networks: string;
  days: string;
}

const USUAL_DAYS = 30;
const LIVES = [1, 7, 30, 60, 90, 180, 365] as const;

export const emptyToken = (mostDays: number): TokenFormValues => ({
  name: "",
  preset: "read-only",
  scopes: [],
  is_limited: false,
  safe_ids: [],
  networks: "",
  days: String(Math.min(USUAL_DAYS, mostDays)),
});

/** The lifetimes to choose from; the last one is the longest that the policy allows. */
export function livesUpTo(mostDays: number): { value: string; label: string }[] {
  const days = [...LIVES.filter((each) => each < mostDays), mostDays];
  return days.map((each) => ({ value: String(each), label: each === 1 ? "1 day" : `${each} days` }));
}

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== "");

export const tokenOf = (values: TokenFormValues): NewToken => ({
  name: values.name,
  scopes: values.preset === "chosen" ? values.scopes : [values.preset],
  ...(values.is_limited ? { safe_ids: values.safe_ids as SafeId[] } : {}),
  networks: linesOf(values.networks),
  expires_in_days: Number(values.days),
});

const FIELDS: Record<string, keyof TokenFormValues> = {
  name: "name",
  scopes: "scopes",
  safe_ids: "safe_ids",
  networks: "networks",
  expires_in_days: "days",
};

export const fieldAt = (path: string): keyof TokenFormValues | undefined => FIELDS[path];

/** Returns the errors by field; empty when the values are valid. */
export const checkToken = (values: TokenFormValues): Partial<Record<keyof TokenFormValues, string>> =>
  firstObjections(NewToken, tokenOf(values), ([field]) => fieldAt(String(field)) ?? "name");

export const PRESETS = Object.keys(SCOPE_SETS) as ScopeSet[];
