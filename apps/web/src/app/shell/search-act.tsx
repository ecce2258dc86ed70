// What was chosen in the search to be done, by the same dialogs as on the pages.
import type { SearchAction, SearchResult } from "@strongroom/contract";
import { lazy } from "react";

const AccountAct = lazy(() => import("#features/accounts/account-act.tsx"));
const CredentialAct = lazy(() => import("#features/credentials/credential-act.tsx"));

export interface WantedAct {
  act: Exclude<SearchAction, "request">;
  of: SearchResult;
  /** Another one each time, so that the same is done again. */
  turn: number;
}

export default function SearchAct({ act, of }: WantedAct) {
  return of.kind === "credential" ? <CredentialAct id={of.id} act={act} /> : <AccountAct id={of.id} act={act} />;
}
