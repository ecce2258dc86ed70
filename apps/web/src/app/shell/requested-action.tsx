// Runs the action chosen in the search, with the same dialogs as on the pages.
import type { SearchAction, SearchResult } from "@strongroom/contract";
import { lazy } from "react";

const AccountAct = lazy(() => import("#features/accounts/actions/account-act.tsx"));
const CredentialAct = lazy(() => import("#features/vault/credential-act.tsx"));

export interface RequestedAction {
  act: Exclude<SearchAction, "connect" | "request">;
  of: SearchResult;
  /** Changes with each choice, so that choosing the same action again runs it again. */
  turn: number;
}

export default function SearchAct({ act, of }: RequestedAction) {
  return of.kind === "credential" ? <CredentialAct id={of.id} act={act} /> : <AccountAct id={of.id} act={act} />;
}
