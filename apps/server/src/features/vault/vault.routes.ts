// Binds the vault's endpoints to their use cases.
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
import type { HistoryOfTarget } from "#features/audit/index.ts";
import type { LoginListener } from "#features/secrets/index.ts";
import { createOwnCredential } from "./create-credential.ts";
import { listOwnVersions, revealOwnVersion } from "./credential-versions.ts";
import { deleteOwnCredential } from "./delete-credential.ts";
import { editCredential } from "./edit-credential.ts";
import { findCredentials } from "./find-credentials.ts";
import { readHistory, readOne } from "./read-credential.ts";
import { revealCredentials } from "./reveal-credential.ts";

export function bindVault(kernel: Kernel, historyOfTarget: HistoryOfTarget, onLogin: LoginListener): void {
  implement(kernel, listCredentials, findCredentials);
  implementInSteps(kernel, createCredential, (call) => createOwnCredential(kernel, call, onLogin));
  implement(kernel, readCredential, readOne);
  implementInSteps(kernel, updateCredential, (call) => editCredential(kernel, call, onLogin));
  implement(kernel, deleteCredential, (call, tx) => deleteOwnCredential(kernel, call, tx));
  implementGrouped(kernel, revealCredential, (calls, tx) => revealCredentials(kernel, calls, tx));
  implement(kernel, listCredentialVersions, listOwnVersions);
  implement(kernel, revealCredentialVersion, (call, tx) => revealOwnVersion(kernel, call, tx));
  implement(kernel, readCredentialHistory, (call, db) => readHistory(call, db, historyOfTarget));
}
