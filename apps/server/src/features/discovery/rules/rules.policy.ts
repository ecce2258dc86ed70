// Decides which rule applies to a discovered account. Pure.

export interface RuleConditions {
  target_id: string | null;
  name_pattern: string | null;
  dn_pattern: string | null;
  is_privileged: boolean | null;
}

export interface RuleSubject {
  target_id: string;
  account_name: string;
  is_privileged: boolean;
  facts: Record<string, unknown>;
}

/** Every condition that the rule names must hold. */
export function matchesRule(rule: RuleConditions, account: RuleSubject): boolean {
  if (rule.target_id !== null && rule.target_id !== account.target_id) return false;
  if (rule.is_privileged !== null && rule.is_privileged !== account.is_privileged) return false;
  if (rule.name_pattern !== null && !matchesPattern(rule.name_pattern, account.account_name)) return false;
  if (rule.dn_pattern === null) return true;
  const dn = account.facts["dn"] ?? account.facts["distinguishedName"];
  return typeof dn === "string" && matchesPattern(rule.dn_pattern, dn);
}

/**
 * `*` matches any characters; case is ignored. In the worst case, the time is proportional to the product of both
 * lengths.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const value = text.toLowerCase();
  if (rest.length === 0) return value === first;
  if (!value.startsWith(first)) return false;
  const last = rest.pop()!;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}
