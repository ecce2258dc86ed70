// Binds the calls of sign-in, sign-up, sessions and resets to their use cases.
import {
  changePassword,
  completePasswordReset,
  currentSession,
  endOtherSessions,
  endOwnSession,
  entrance,
  listOwnSessions,
  login,
  logout,
  readOwnProfile,
  register,
  renameOneself,
  reportActivity,
  requestPasswordReset,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { changeOwnPassword } from "./passwords/change-password.ts";
import { readProfile, rename } from "./own-profile.ts";
import { describeSession, endOne, endOthers, keepAlive, listSessions, signOut } from "./sessions/own-sessions.ts";
import { registerAccount } from "./setup/register.ts";
import { completeReset, requestReset } from "./passwords/reset-password.ts";
import type { SignInContext } from "./context.ts";
import { hasAnyUser, readPolicy } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { signIn } from "./sign-in.ts";

export function bindSignIn(parts: SignInContext): void {
  const { kernel } = parts;
  implement(kernel, entrance, (_call, db) => describeEntrance(parts, db));
  implementInSteps(kernel, login, (call, db) => signIn(parts, call, db));
  implementInSteps(kernel, register, (call, db) => registerAccount(parts, call, db));
  implement(kernel, logout, (call, tx) => signOut(parts, call, tx));
  implement(kernel, requestPasswordReset, (call, tx) => requestReset(parts, call, tx));
  implementInSteps(kernel, completePasswordReset, (call, db) => completeReset(parts, call, db));
  implementInSteps(kernel, changePassword, (call, db) => changeOwnPassword(parts, call, db));
  implement(kernel, currentSession, (call, db) => describeSession(call, db));
  implement(kernel, reportActivity, (call, db) => keepAlive(kernel, call, db));
  implement(kernel, listOwnSessions, (call, db) => listSessions(kernel, call, db));
  implement(kernel, endOwnSession, (call, tx) => endOne(parts, call, tx));
  implement(kernel, endOtherSessions, (call, tx) => endOthers(parts, call, tx));
  implement(kernel, readOwnProfile, (call, db) => readProfile(call, db));
  implementInSteps(kernel, renameOneself, (call, db) => rename(parts, call, db));
}

async function describeEntrance({ mail }: SignInContext, db: Db) {
  const needsSetup = !(await hasAnyUser(db));
  const { sign_up: rule } = await readPolicy(db);
  return { needs_setup: needsSetup, sign_up_open: rule !== "closed", mail_configured: mail.isConfigured };
}
