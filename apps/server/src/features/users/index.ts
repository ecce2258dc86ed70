// Users: their rows, roles and status, and the sign-in policy.
import type { Notify, Settle } from "#features/notifications/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { ActivatedListener } from "./people/activate-user.ts";
import { createUserNotices } from "./user-notices.ts";
import type { UserNotices } from "./user-notices.ts";
import type { SignInOfUsers } from "./sign-in-of-users.ts";
import type { DeletedListener } from "./people/delete-user.ts";
import { rolePermissions } from "./users.policy.ts";
import { bindUsers } from "./users.routes.ts";
import { changeRole, changeStatus } from "./users.ts";
import type { DisabledListener, UsersDeps } from "./users.ts";
import { countActiveByRole } from "./users.store.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { CallInput } from "#kernel/http/call.ts";
import type { Role, User, changeUserRole, setUserStatus } from "@strongroom/contract";

export interface UsersFeature {
  /** For statistics such as the dashboard's privileged users. */
  countActiveByRole(db: Db): Promise<Record<Role, number>>;
  /** Registers `listener`, which is called in the transaction that activates an account. */
  onActivated(listener: ActivatedListener): void;
  /** Notifies administrators that an account is waiting for activation. */
  notifyOfNewUser: UserNotices["waiting"];
  /** Registers `listener`, which is called in the transaction that disables a user. */
  onDisabled(listener: DisabledListener): void;
  /** Registers `listener`, which is called in the transaction that deletes a user. */
  onDeleted(listener: DeletedListener): void;
  /** The use cases behind the calls, for use in another feature's transaction. */
  changeRole(act: CallInput<typeof changeUserRole>, tx: Tx): Promise<User>;
  changeStatus(act: CallInput<typeof setUserStatus>, tx: Tx): Promise<User>;
}

interface UsersNeeds {
  signIn: SignInOfUsers;
  notify: Notify;
  settle: Settle;
}

export function installUsers(kernel: Kernel, given: UsersNeeds): UsersFeature {
  const deps: UsersDeps = { clock: kernel.clock, ...given };
  const notices = createUserNotices(given);
  const whenActivated: ActivatedListener[] = [];
  const whenDisabled: DisabledListener[] = [];
  const whenDeleted: DeletedListener[] = [];
  kernel.authority.grant(rolePermissions);
  const disabled: DisabledListener = async (...who) => {
    for (const listener of whenDisabled) await listener(...who);
  };
  bindUsers(kernel, deps, notices, {
    activated: async (...who) => {
      for (const listener of whenActivated) await listener(...who);
    },
    disabled,
    deleted: async (...deleted) => {
      for (const listener of whenDeleted) await listener(...deleted);
    },
  });
  return {
    countActiveByRole,
    onActivated: (listener) => void whenActivated.push(listener),
    notifyOfNewUser: notices.waiting,
    onDisabled: (listener) => void whenDisabled.push(listener),
    onDeleted: (listener) => void whenDeleted.push(listener),
    changeRole: (act, tx) => changeRole(deps, act, tx),
    changeStatus: (act, tx) => changeStatus(act, tx, deps.signIn, disabled),
  };
}

export type { Newcomer } from "./user-notices.ts";
export { searchableUsers } from "./people/search-users.ts";
export { notifyOfNewAdmin, notifyOfResetLink, recipientOf } from "./notify-person.ts";
export type { SignInOfUsers, TokensEnd, UnderLimits } from "./sign-in-of-users.ts";
export { openNetworks } from "./policy/sign-in-rules.ts";
export { whenRulesChange } from "./policy/rules-changed.ts";
export { isWithin, requireAllowedNetwork } from "./policy/sign-in-rules.ts";
export { passwordProblem, requireGoodPassword } from "./policy/password-rules.ts";
export { lockPolicyShared, policyColumns, readPolicy, writeSignUpRule } from "./policy/sign-in-policy.store.ts";
export { endedMessage } from "./users.ts";
export {
  canSignIn,
  nameFromEmail,
  needsSecondAdmin,
  requireAnotherAdmin,
  requireAnotherPerson,
  requireOneAdmin,
  requirePersonFor,
  rolesAtSignUp,
  seesAddresses,
  statusAtSignUp,
} from "./users.policy.ts";
export {
  countActiveByRole,
  emailsOf,
  findPasswordHash,
  findUser,
  findUserByEmail,
  hasAnyUser,
  lockUnchanged,
  idsByEmail,
  insertUser,
  isPending,
  listPage,
  lockActiveAdmins,
  lockUser,
  markSignedIn,
  renameUser,
  replacePasswordHash,
  setPasswordHash,
  setRole,
  setStatus,
} from "./users.store.ts";
export type { Person, UsersTable } from "./users.store.ts";
