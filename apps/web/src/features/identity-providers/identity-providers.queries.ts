// Queries and mutations of identity providers, for administrators.
import {
  createIdentityProvider,
  deleteIdentityProvider,
  listIdentityProviders,
  listWaysIn,
  testIdentityProvider,
  updateIdentityProvider,
  type IdentityProviderId,
  type NewIdentityProvider,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

export const providerList = queryOf(listIdentityProviders);

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
