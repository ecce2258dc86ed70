// Queries and calls of signing in with an identity provider.
import { beginOidc, finishOidc, listWaysIn, signOutOfProvider, type IdentityProviderId } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import { queryOf } from "#shared/api/query.ts";

/** The providers a visitor can sign in with. */
export const signInMethods = queryOf(listWaysIn);

const at = (id: string) => ({ params: { id: id as IdentityProviderId } });

export interface ProviderSignIn {
  returnTo: string;
  isRemembered: boolean;
  /** Makes the provider authenticate the user again, even if it still has a session. */
  authenticate: boolean;
}

/** Returns the address to redirect the browser to. */
export const begin = (id: string, { returnTo, isRemembered, authenticate }: ProviderSignIn) =>
  call(beginOidc, { ...at(id), body: { return_to: returnTo, remember_me: isRemembered, authenticate } });

/** The provider's sign-out address; a null url when it has none. */
export const leaveProvider = (id: string) => call(signOutOfProvider, at(id));

export const finish = (id: string, query: string) => call(finishOidc, { ...at(id), body: { query } });
