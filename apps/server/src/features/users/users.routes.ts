// Binds the calls about users and the sign-in policy to their use cases.
import {
  activateUser,
  activateUsers,
  changeUserRole,
  decideRoleRequest,
  deleteUser as deleteEndpoint,
  endUserSessions,
  inviteAgain,
  inviteUser,
  issueResetLink,
  listPendingResets,
  listUsers,
  previewSignInPolicy,
  readSignInPolicy,
  setUserStatus,
  unlockUser,
  updateSignInPolicy,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { activate, activateSeveral } from "./people/activate-user.ts";
import type { ActivatedListener } from "./people/activate-user.ts";
import { deleteUser } from "./people/delete-user.ts";
import type { DeletedListener } from "./people/delete-user.ts";
import { invite, inviteOnceMore, unlock } from "./people/invite-user.ts";
import { previewPolicy } from "./policy/preview-policy.ts";
import { readPolicy } from "./policy/sign-in-policy.store.ts";
import type { UserNotices } from "./user-notices.ts";
import { changePolicy, changeRole, changeStatus, decideRole, endAllSessions, issueLink, list } from "./users.ts";
import type { DisabledListener, UsersDeps } from "./users.ts";

interface Listeners {
  activated: ActivatedListener;
  disabled: DisabledListener;
  deleted: DeletedListener;
}

export function bindUsers(
  kernel: Kernel,
  deps: UsersDeps,
  notices: UserNotices,
  { activated, disabled, deleted }: Listeners,
): void {
  const { signIn } = deps;
  const activation = { ...deps, events: kernel.events, notices, activated };
  implement(kernel, activateUser, (call, tx) => activate(activation, call, tx));
  implement(kernel, activateUsers, (call, tx) => activateSeveral(activation, call, tx));
  implement(kernel, listUsers, (call, db) => list(call, db, signIn));
  implement(kernel, inviteUser, (call, tx) => invite(deps, call, tx));
  implement(kernel, inviteAgain, (call, tx) => inviteOnceMore(deps, call, tx));
  implement(kernel, unlockUser, (call, tx) => unlock(call, tx, signIn));
  implement(kernel, changeUserRole, (call, tx) => changeRole(deps, call, tx));
  implement(kernel, setUserStatus, (call, tx) => changeStatus(call, tx, signIn, disabled));
  implement(kernel, deleteEndpoint, (call, tx) => deleteUser(call, tx, signIn, deleted));
  implement(kernel, decideRoleRequest, (call, tx) => decideRole(deps, call, tx));
  implement(kernel, endUserSessions, (call, tx) => endAllSessions(deps, call, tx));
  implement(kernel, listPendingResets, async (_call, db) => ({ data: await signIn.pendingResets(db) }));
  implement(kernel, issueResetLink, (call, tx) => issueLink(deps, call, tx));
  implement(kernel, readSignInPolicy, (_call, db) => readPolicy(db));
  implement(kernel, previewSignInPolicy, (call, tx) => previewPolicy({ clock: kernel.clock, signIn }, call, tx));
  implement(kernel, updateSignInPolicy, (call, tx) => changePolicy({ events: kernel.events, signIn }, call, tx));
}
