// The numbers of the sign-in policy as the form shows and checks them; their bounds are the contract's.
import { SignInPolicy } from "@strongroom/contract";
import { zod4Resolver } from "mantine-form-zod-resolver";

export type PolicyLimit = Exclude<keyof SignInPolicy, "sign_up_open">;

export interface PolicyLimitField {
  field: PolicyLimit;
  label: string;
  unit: "minutes" | "hours" | "days";
  description: string;
}

export const POLICY_LIMITS: readonly PolicyLimitField[] = [
  { field: "timeout_minutes", label: "Inactivity timeout", unit: "minutes", description: "Ends an idle session" },
  { field: "warning_minutes", label: "Warning before it", unit: "minutes", description: "When the dialog appears" },
  {
    field: "privileged_timeout_minutes",
    label: "For privileged roles",
    unit: "minutes",
    description: "Managers and admins",
  },
  { field: "session_hours", label: "Longest session", unit: "hours", description: 'Without "Keep me signed in"' },
  {
    field: "remembered_days",
    label: "Longest remembered session",
    unit: "days",
    description: 'With "Keep me signed in"',
  },
];

export function boundsOf(field: PolicyLimit): { min: number; max: number } {
  const { minValue, maxValue } = SignInPolicy.shape[field];
  return { min: minValue ?? 0, max: maxValue ?? Number.MAX_SAFE_INTEGER };
}

export type PolicyErrors = Partial<Record<keyof SignInPolicy, string>>;

/** A field that is empty or out of bounds says its bounds; what fields must be to each other is the contract's to say. */
export function checkPolicy(policy: SignInPolicy): PolicyErrors {
  const outOfBounds = POLICY_LIMITS.flatMap(({ field }) => {
    const { min, max } = boundsOf(field);
    const isWithin = Number.isInteger(policy[field]) && policy[field] >= min && policy[field] <= max;
    return isWithin ? [] : [[field, `A whole number from ${min} to ${max}`] as const];
  });
  const rules: PolicyErrors = zod4Resolver(SignInPolicy)(policy);
  return { ...rules, ...Object.fromEntries(outOfBounds) };
}
