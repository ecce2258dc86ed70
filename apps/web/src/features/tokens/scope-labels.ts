// Labels and warnings for token scopes.
import type { Scope, ScopeChoice, ScopeSet } from "@strongroom/contract";
import { SCOPE_SETS } from "@strongroom/contract";

export const SCOPE_SET_LABELS: Record<ScopeSet, { label: string; hint: string }> = {
  "read-only": {
    label: "Read only",
    hint: "See accounts, safes, credentials and their status. No secrets, no changes.",
  },
  verify: { label: "Verify", hint: "See accounts and credentials, and verify their secrets on their targets." },
  retrieve: { label: "Retrieve", hint: "See accounts and retrieve the secrets that the holder can retrieve." },
};

const WORDS: Partial<Record<Scope, string>> = {
  "account.list": "List accounts",
  "account.read": "Read accounts",
  "account.retrieve": "Retrieve account secrets",
  "account.verify": "Verify accounts",
  "account.rotate": "Rotate account passwords",
  "account.manage": "Edit, move and delete accounts",
  "account.create": "Create accounts",
  "account.export": "Export accounts",
  "safe.list": "List safes",
  "safe.read": "Read safes and their members",
  "safe.create": "Create safes",
  "safe.manage": "Manage safes",
  "safe.share": "Give others access: members, owners, moves, secret destinations",
  "credential.list": "List credentials",
  "credential.read": "Read credentials",
  "credential.create": "Create credentials",
  "credential.update": "Edit credentials",
  "credential.delete": "Delete credentials",
  "credential.reveal": "Reveal credentials",
  "credential.verify": "Verify credentials",
  "credential.rotate": "Rotate credentials",
  "verification.read": "Read validation results",
  "rotation.read": "Read rotations",
  "rotation.manage": "Start and cancel rotations",
  "cpm.read": "Read the CPM dashboard",
  "dashboard.read": "Read the dashboard",
  "platform.read": "Read platforms",
  "platform.manage": "Manage platforms",
  "group.read": "Read groups",
  "group.manage": "Manage groups",
  "access-request.list": "List access requests",
  "access-request.create": "Request access, including emergency access",
  "access-request.decide": "Decide access requests",
  "privileged-session.list": "List privileged sessions",
  "privileged-session.start": "Start sessions on accounts that the holder may connect to",
  "privileged-session.watch": "Watch live sessions",
  "privileged-session.terminate": "Terminate sessions",
  "privileged-session.play": "Play recordings of sessions",
  "privileged-session.export": "Export recordings of sessions",
  "privileged-session.hold": "Place and release legal holds on recordings",
  "audit.read": "Read the audit trail",
  "audit.export": "Export the audit trail",
  "audit.verify": "Verify the audit trail",
  "user.list": "List users",
  "directory.search": "Search people and groups by name",
  "user.manage": "Manage users and machine identities",
  "identity-provider.manage": "Manage sign-in providers",
  "policy.read": "Read the sign-in policy",
  "policy.manage": "Change policies",
  "seal.manage": "Seal the vault",
  "token.use": "Create and revoke tokens",
  "event.follow": "Follow live events",
};

/** Scopes that can grant access to others: a token with one of them can gain all permissions of its holder. */
const LETS_IN: readonly ScopeChoice[] = ["user.manage", "identity-provider.manage", "group.manage", "safe.share"];

/** A warning about the chosen scopes; undefined when they need none. */
export function warningOf(choices: readonly ScopeChoice[]): string | undefined {
  const far = choices.filter((choice) => LETS_IN.includes(choice)).map(wordsOf);
  if (far.length === 0) return undefined;
  return `${far.join(", ")}: anyone who gets this token can give access to anyone, including themselves. If its holder is an administrator, it amounts to administrator access.`;
}

const isSet = (choice: ScopeChoice): choice is ScopeSet => Object.hasOwn(SCOPE_SETS, choice);

/** Falls back to the scope's name when it has no label. */
export const wordsOf = (choice: ScopeChoice): string =>
  isSet(choice) ? SCOPE_SET_LABELS[choice].label : (WORDS[choice] ?? choice);

const MOST_NAMED = 2;

/** The first few by name and the number of others: "Read accounts, Verify accounts and 3 more". */
export function summaryOf(choices: readonly ScopeChoice[]): string {
  const named = choices.slice(0, MOST_NAMED).map(wordsOf).join(", ");
  const more = choices.length - MOST_NAMED;
  return more > 0 ? `${named} and ${more} more` : named;
}
