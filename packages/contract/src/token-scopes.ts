// The scopes of API tokens: names of permissions, finer ones for broad permissions, and predefined sets.
import { z } from "zod";
import { Permission } from "./permission.ts";

/** Too broad to be granted as one: their calls name a finer scope. */
const TOO_COARSE = ["account.use", "safe.use"] as const;
/** Only for users: tokens cannot have these scopes. */
const FOR_PEOPLE = ["audit.decide"] as const;

export const Scope = z.enum([
  ...Permission.exclude([...TOO_COARSE, ...FOR_PEOPLE]).options,
  "account.read",
  "account.retrieve",
  "account.verify",
  "account.rotate",
  "account.manage",
  "safe.read",
  "safe.manage",
  "safe.share",
  "event.follow",
]);
export type Scope = z.infer<typeof Scope>;

/**
 * Predefined sets. INVARIANT: none of them manages people, tokens or policies, exports the audit trail, gives access
 * to other people, or decides on a request: such scopes must be selected by name.
 */
export const SCOPE_SETS = {
  "read-only": [
    "account.list",
    "account.read",
    "safe.list",
    "safe.read",
    "credential.list",
    "credential.read",
    "verification.read",
    "rotation.read",
    "cpm.read",
    "dashboard.read",
    "platform.read",
    "group.read",
    "access-request.list",
  ],
  verify: [
    "account.list",
    "account.read",
    "account.verify",
    "credential.list",
    "credential.read",
    "credential.verify",
    "verification.read",
  ],
  retrieve: ["account.list", "account.read", "account.retrieve", "safe.list", "safe.read"],
} as const satisfies Record<string, readonly Scope[]>;
export type ScopeSet = keyof typeof SCOPE_SETS;

/** The choices in the form. */
export const ScopeChoice = z.enum([...(Object.keys(SCOPE_SETS) as ScopeSet[]), ...Scope.options]);
export type ScopeChoice = z.infer<typeof ScopeChoice>;

/** The scopes of a token that is limited to some safes: all their calls check permissions in one safe. */
export const SCOPES_IN_SAFES: readonly Scope[] = [
  "account.list",
  "account.read",
  "account.retrieve",
  "account.verify",
  "account.rotate",
  "account.manage",
  "account.create",
  "account.export",
  "safe.list",
  "safe.read",
  "safe.manage",
  "safe.share",
];

const isSet = (choice: ScopeChoice): choice is ScopeSet => Object.hasOwn(SCOPE_SETS, choice);

/** All scopes of these choices, each once. */
export function scopesIn(choices: readonly ScopeChoice[]): Scope[] {
  return [...new Set(choices.flatMap((choice): readonly Scope[] => (isSet(choice) ? SCOPE_SETS[choice] : [choice])))];
}
