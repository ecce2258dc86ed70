// Opens the accounts page in tests, with fake replies for its initial calls.
import { screen } from "@testing-library/react";
import type { Account } from "@strongroom/contract";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import AccountsPage from "../list/accounts-page.tsx";
import { aPlatform, aSafe } from "./an-account.ts";

export const LIST = "GET /api/v1/accounts";
export const STATISTICS = "GET /api/v1/accounts/statistics";
export const FIGURES = {
  total: 3,
  active: 2,
  requiring_rotation: 1,
  validation_valid: 1,
  validation_invalid: 1,
  validation_unreachable: 0,
  validation_misconfigured: 0,
  validation_pending: 0,
  validation_untested: 1,
};

export const startAccountsApi = (): Promise<TestApi> =>
  startApi({
    [STATISTICS]: { json: FIGURES },
    "GET /api/v1/platforms": { json: { platforms: [aPlatform()] } },
    "GET /api/v1/rotations/runs": { json: { runs: [] } },
    "GET /api/v1/saved-views": { json: { views: [] } },
    "GET /api/v1/safes": { json: { safes: [aSafe()], next_cursor: null } },
  });

export const page = (data: Account[], next_cursor: string | null = null) => ({ json: { data, next_cursor } });
export const show = (at = "/accounts") => renderScreen(<AccountsPage />, { at });

/** Opens the page with these accounts. */
export async function openAccounts(api: TestApi, ...accounts: Account[]) {
  api.on(LIST, page(accounts));
  for (const account of accounts) api.on(`GET /api/v1/accounts/${account.id}/details`, { json: account });
  const view = show();
  await screen.findByRole("list", { name: "Accounts" });
  return view;
}
