// Form values and validation of the sign-in policy, with the number bounds of the contract.
import { SignInPolicy } from "@strongroom/contract";
import { domainsIn } from "#shared/session/sign-up-rule.tsx";
import { firstObjections } from "#shared/api/field-errors.ts";

export type PolicyLimit = Exclude<
  keyof SignInPolicy,
  "sign_up" | "sign_up_domains" | "mfa_required_roles" | "allowed_networks"
>;

export interface PolicyLimitField {
  field: PolicyLimit;
  label: string;
  unit: "minutes" | "hours" | "days" | "characters";
  description: string;
}

/** Grouped into the rows of the form. */
export const POLICY_LIMITS: readonly (readonly PolicyLimitField[])[] = [
  [
    { field: "timeout_minutes", label: "Inactivity timeout", unit: "minutes", description: "Ends an idle session" },
    {
      field: "warning_minutes",
      label: "Timeout warning",
      unit: "minutes",
      description: "How long before the timeout the warning appears",
    },
    {
      field: "privileged_timeout_minutes",
      label: "Privileged timeout",
      unit: "minutes",
      description: "For managers and admins",
    },
  ],
  [
    {
      field: "session_hours",
      label: "Maximum session length",
      unit: "hours",
      description: 'Without "Keep me signed in"',
    },
    {
      field: "remembered_days",
      label: "Maximum remembered session length",
      unit: "days",
      description: 'With "Keep me signed in"',
    },
  ],
  [
    {
      field: "password_min_length",
      label: "Minimum password length",
      unit: "characters",
      description: "For new passwords",
    },
    {
      field: "privileged_password_min_length",
      label: "Minimum privileged password length",
      unit: "characters",
      description: "For managers and admins",
    },
  ],
  [
    {
      field: "step_up_minutes",
      label: "Re-authentication interval",
      unit: "minutes",
      description: "Before a sensitive action asks again",
    },
    {
      field: "vault_wait_hours",
      label: "Vault closure",
      unit: "hours",
      description: "After another person resets a user's sign-in",
    },
  ],
];

const LIMITS = POLICY_LIMITS.flat();

/** Form values; networks are entered one per line. */
export type PolicyValues = Omit<SignInPolicy, "allowed_networks" | "sign_up_domains"> & {
  allowed_networks: string;
  sign_up_domains: string;
};

export const valuesOf = (policy: SignInPolicy): PolicyValues => ({
  ...policy,
  allowed_networks: policy.allowed_networks.join("\n"),
  sign_up_domains: policy.sign_up_domains.join(", "),
});

export const policyOf = (values: PolicyValues): SignInPolicy => ({
  ...values,
  allowed_networks: networksIn(values.allowed_networks),
  sign_up_domains: values.sign_up === "domains" ? domainsIn(values.sign_up_domains) : [],
});

/** Parses networks separated by lines, commas or spaces. A single address is a network of one. */
function networksIn(text: string): string[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  return [...new Set(parts.map((part) => (part.includes("/") ? part : `${part}/${part.includes(":") ? 128 : 32}`)))];
}

export function boundsOf(field: PolicyLimit): { min: number; max: number } {
  const { minValue, maxValue } = SignInPolicy.shape[field];
  return { min: minValue ?? 0, max: maxValue ?? Number.MAX_SAFE_INTEGER };
}

export type PolicyErrors = Partial<Record<keyof SignInPolicy, string>>;

/** An empty or out-of-range field shows its bounds; cross-field rules come from the contract. */
export function checkPolicy(values: PolicyValues): PolicyErrors {
  const outOfBounds = LIMITS.flatMap(({ field }) => {
    const { min, max } = boundsOf(field);
    const isWithin = Number.isInteger(values[field]) && values[field] >= min && values[field] <= max;
    return isWithin ? [] : [[field, `Enter a whole number from ${min} to ${max}`] as const];
  });
  const policy = policyOf(values);
  const rules: PolicyErrors = firstObjections(SignInPolicy, policy, ([field, index]) => {
    return String(field) + (field === "allowed_networks" && typeof index === "number" ? `.${index}` : "");
  });
  return { ...networkError(rules, policy), ...Object.fromEntries(outOfBounds) };
}

/** Names the invalid networks. */
function networkError(objections: Record<string, string>, policy: SignInPolicy): PolicyErrors {
  const { ...rules } = objections;
  for (const [index, network] of policy.allowed_networks.entries()) {
    const objection = rules[`allowed_networks.${index}`];
    delete rules[`allowed_networks.${index}`];
    if (objection !== undefined) rules["allowed_networks"] ??= `"${network}": ${objection}`;
  }
  return rules;
}

export const isPolicyField = (path: string): path is keyof SignInPolicy => path in SignInPolicy.shape;
