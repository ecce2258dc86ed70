// Queries and mutations of identity providers.
import {
  beginOidc,
  createIdentityProvider,
  deleteIdentityProvider,
  finishOidc,
  listIdentityProviders,
  listWaysIn,
  signOutOfProvider,
  testIdentityProvider,
  updateIdentityProvider,
  type IdentityProviderId,
  type NewIdentityProvider,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

export const providerList = queryOf(listIdentityProviders);

/** The providers a visitor can sign in with. */
export const signInMethods = queryOf(listWaysIn);

const at = (id: string) => ({ params: { id: id as IdentityProviderId } });

async function refresh(client: QueryClient): Promise<void> {
  const stale = [listIdentityProviders.path, listWaysIn.path, "/api/v1/audit"];
  await Promise.all(stale.map((path) => invalidatePath(client, path)));
}

const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => refresh(client) });

/** Adds a provider, or changes the one with this id. */
export const saving = (client: QueryClient, id: string | null) =>
  changing(client, (body: NewIdentityProvider) =>
    id === null ? call(createIdentityProvider, { body }) : call(updateIdentityProvider, { ...at(id), body }),
  );

export const deletion = (client: QueryClient, id: string) =>
  changing(client, () => call(deleteIdentityProvider, at(id)));

export const connectionTest = (id: string) =>
  mutationOptions({
    mutationFn: (username: string) => call(testIdentityProvider, { ...at(id), body: { username } }),
  });

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
