// Binds the calls that validate accounts and those that do something with many.
import {
  acceptAccountHostKey,
  accountValidationHistory,
  bulkAccounts,
  exportAccounts as exportEndpoint,
  importAccounts as importEndpoint,
  validateAccount,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import type { VerificationFeature } from "#features/verification/index.ts";
import { changeSeveral } from "./bulk-accounts.ts";
import type { AccountDeps } from "./deps.ts";
import { exportAccounts } from "./export-accounts.ts";
import { importAccounts } from "./import-accounts.ts";
import { acceptKey, readValidations, validate } from "./validate-account.ts";

export function bindSeveral(deps: AccountDeps, verification: VerificationFeature): void {
  const { kernel } = deps;
  implementInSteps(kernel, validateAccount, (call) => validate(deps, verification, call));
  implement(kernel, accountValidationHistory, (call, db) => readValidations(call, db, deps));
  implement(kernel, acceptAccountHostKey, (call, tx) => acceptKey(deps, call, tx));
  implementInSteps(kernel, bulkAccounts, (call) => changeSeveral(deps, call));
  implementInSteps(kernel, importEndpoint, (call) => importAccounts(deps, call));
  implementDownload(kernel, exportEndpoint, (call, db) => exportAccounts(deps, call, db));
}
