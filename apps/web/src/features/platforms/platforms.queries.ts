// Server state of platforms: queries, mutations and invalidation.
import {
  createPlatform,
  deletePlatform,
  listPlatformCapabilities,
  listPlatforms,
  listSafes,
  readAccountDetails,
  updatePlatform,
  type InputOf,
  type PlatformId,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

export type PlatformFields = NonNullable<InputOf<typeof updatePlatform>["body"]>;

const at = (id: string) => ({ params: { id: id as PlatformId } });

export const platformList = queryOf(listPlatforms);
/** The set of connectors does not change while the server runs. */
export const platformCapabilities = { ...queryOf(listPlatformCapabilities), staleTime: Infinity };

export const safesToReconcile = queryOf(listSafes, { query: { limit: 500 } });
export const accountNamed = (id: string) => queryOf(readAccountDetails, { params: { id: id } });

/** A platform's policy affects its accounts and the accounts that can be requested. */
async function refresh(client: QueryClient): Promise<void> {
  const paths = ["/api/v1/platforms", "/api/v1/accounts", "/api/v1/jit/resources", "/api/v1/audit"];
  await Promise.all(paths.map((path) => invalidatePath(client, path)));
}

const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => refresh(client) });

export const creation = (client: QueryClient) =>
  changing(client, (body: PlatformFields) => call(createPlatform, { body }));

export const edit = (client: QueryClient, id: string) =>
  changing(client, (body: PlatformFields) => call(updatePlatform, { ...at(id), body }));

export const deletion = (client: QueryClient, id: string) => changing(client, () => call(deletePlatform, at(id)));
