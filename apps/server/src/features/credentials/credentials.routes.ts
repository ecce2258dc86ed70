// Binds the credential endpoints to their use cases.
import {
  createCredential,
  deleteCredential,
  listCredentialVersions,
  listCredentials,
  readCredential,
  readCredentialHistory,
  revealCredential,
  revealCredentialVersion,
  updateCredential,
} from "@strongroom/contract";
import { implementGrouped } from "#kernel/http/implement-grouped.ts";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { changeCredential } from "./change-credential.ts";
import { listOwnVersions, revealOwnVersion } from "./credential-versions.ts";
import { removeCredential } from "./delete-credential.ts";
import { findCredentials } from "./find-credentials.ts";
import { readHistory, readOne } from "./read-credential.ts";
import type { HistoryOfTarget } from "./read-credential.ts";
import { revealCredentials } from "./reveal-credential.ts";
import { storeCredential } from "./store-credential.ts";
import type { LoginListener } from "./store-credential.ts";

export function bindCredentials(kernel: Kernel, historyOfTarget: HistoryOfTarget, onLogin: LoginListener): void {
  implement(kernel, listCredentials, findCredentials);
  implementInSteps(kernel, createCredential, (call) => storeCredential(kernel, call, onLogin));
  implement(kernel, readCredential, readOne);
  implementInSteps(kernel, updateCredential, (call) => changeCredential(kernel, call, onLogin));
  implement(kernel, deleteCredential, (call, tx) => removeCredential(kernel, call, tx));
  implementGrouped(kernel, revealCredential, (calls, tx) => revealCredentials(kernel, calls, tx));
  implement(kernel, listCredentialVersions, listOwnVersions);
  implement(kernel, revealCredentialVersion, (call, tx) => revealOwnVersion(kernel, call, tx));
  implement(kernel, readCredentialHistory, (call, db) => readHistory(call, db, historyOfTarget));
}
