// Binds the account endpoints to their use cases.
import {
  acceptAccountHostKey,
  accountStatistics,
  accountValidationHistory,
  allowAccountAccess,
  bulkAccounts,
  checkInAccount,
  createAccount as createEndpoint,
  deleteAccount,
  explainAccountAccess,
  exportAccounts as exportEndpoint,
  importAccounts as importEndpoint,
  listAccountVersions,
  listAccounts,
  moveAccount as moveEndpoint,
  readAccount,
  readAccountDetails,
  readAccountHistory,
  retrieveAccount,
  retrieveAccountVersion,
  testAccountLogin,
  updateAccount,
  validateAccount,
} from "@strongroom/contract";
import { implementGrouped } from "#kernel/http/implement-grouped.ts";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import type { HistoryOfTarget } from "#features/audit/index.ts";
import type { VerificationFeature } from "#features/verification/index.ts";
import { allowAccess } from "./access-block.ts";
import { changeSeveral } from "./crud/bulk-accounts.ts";
import { changeAccount } from "./crud/change-account.ts";
import { checkIn } from "./checkout/check-outs.ts";
import { createAccount } from "./crud/create-account.ts";
import { removeAccount } from "./crud/delete-account.ts";
import type { AccountDeps } from "./deps.ts";
import { exportAccounts } from "./import-export/export-accounts.ts";
import { importAccounts } from "./import-export/import-accounts.ts";
import { countAccounts } from "./search/figures.store.ts";
import { findAccounts } from "./search/find-accounts.ts";
import { moveAccount } from "./crud/move-account.ts";
import { explain, readDetails, readHistory, readVersions } from "./read-account.ts";
import { readWithPassword, retrieveAccounts, retrieveVersions } from "./retrieve-account.ts";
import { testLogin } from "./login-tests/test-login.ts";
import { acceptAccountKey, readValidations, validate } from "./validate-account.ts";

interface Features {
  historyOfTarget: HistoryOfTarget;
  verification: VerificationFeature;
}

export function bindAccounts(deps: AccountDeps, { historyOfTarget, verification }: Features): void {
  const { kernel } = deps;
  const { grantsInForce } = deps.grants;
  implement(kernel, listAccounts, (call, db) => findAccounts(call, db, grantsInForce));
  implement(kernel, accountStatistics, (call, db) => countAccounts(db, call.actor, grantsInForce));
  implementInSteps(kernel, testAccountLogin, (call) => testLogin(deps, verification, call));
  implementInSteps(kernel, createEndpoint, (call) => createAccount(deps, call));
  implementGrouped(kernel, readAccount, (calls, tx) => readWithPassword(deps, calls, tx));
  implement(kernel, readAccountDetails, (call, db) => readDetails(call, db, grantsInForce));
  implementGrouped(kernel, retrieveAccount, (calls, tx) => retrieveAccounts(deps, calls, tx));
  implement(kernel, checkInAccount, (call, tx) => checkIn(deps, call, tx));
  implement(kernel, allowAccountAccess, (call, tx) => allowAccess(deps, call, tx));
  implementInSteps(kernel, updateAccount, (call) => changeAccount(deps, call));
  implementInSteps(kernel, moveEndpoint, (call) => moveAccount(deps, call));
  implement(kernel, deleteAccount, (call, tx) => removeAccount(deps, call, tx));
  implement(kernel, listAccountVersions, (call, db) => readVersions(call, db, grantsInForce));
  implementGrouped(kernel, retrieveAccountVersion, (calls, tx) => retrieveVersions(deps, calls, tx));
  implement(kernel, readAccountHistory, (call, db) => readHistory(call, db, grantsInForce, historyOfTarget));
  implement(kernel, explainAccountAccess, (call, db) => explain(call, db, grantsInForce));
  implementInSteps(kernel, validateAccount, (call) => validate(deps, verification, call));
  implement(kernel, accountValidationHistory, (call, db) => readValidations(call, db, deps));
  implement(kernel, acceptAccountHostKey, (call, tx) => acceptAccountKey(deps, call, tx));
  implementInSteps(kernel, bulkAccounts, (call) => changeSeveral(deps, call));
  implementInSteps(kernel, importEndpoint, (call) => importAccounts(deps, call));
  implementDownload(kernel, exportEndpoint, (call, db) => exportAccounts(deps, call, db));
}
