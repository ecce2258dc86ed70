// Binds the endpoints for validation, bulk actions, imports and exports to their use cases.
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
import { changeSeveral } from "./crud/bulk-accounts.ts";
import type { AccountDeps } from "./deps.ts";
import { exportAccounts } from "./import-export/export-accounts.ts";
import { importAccounts } from "./import-export/import-accounts.ts";
import { acceptAccountKey, readValidations, validate } from "./validate-account.ts";

export function bindSeveral(deps: AccountDeps, verification: VerificationFeature): void {
  const { kernel } = deps;
  implementInSteps(kernel, validateAccount, (call) => validate(deps, verification, call));
  implement(kernel, accountValidationHistory, (call, db) => readValidations(call, db, deps));
  implement(kernel, acceptAccountHostKey, (call, tx) => acceptAccountKey(deps, call, tx));
  implementInSteps(kernel, bulkAccounts, (call) => changeSeveral(deps, call));
  implementInSteps(kernel, importEndpoint, (call) => importAccounts(deps, call));
  implementDownload(kernel, exportEndpoint, (call, db) => exportAccounts(deps, call, db));
}
