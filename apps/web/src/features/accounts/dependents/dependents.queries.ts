// Server state of an account's dependents.
import {
  addDependent,
  listDependents,
  removeDependent,
  updateDependent,
  type AccountId,
  type DependentId,
  type InputOf,
  type ReplyOf,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { queryOf } from "#shared/api/query.ts";

const of = (id: string) => ({ params: { id: id as AccountId } });
const one = (id: string, dependentId: string) => ({
  params: { id: id as AccountId, dependentId: dependentId as DependentId },
});

export const dependents = (id: string) => queryOf(listDependents, of(id));

const refresh = (client: QueryClient, id: string): Promise<void> =>
  client.invalidateQueries({ queryKey: dependents(id).queryKey });

/** Not a mutation, because a mutation keeps its result, and a webhook's result holds its signing key. */
export async function sendDependent(
  client: QueryClient,
  id: string,
  body: NonNullable<InputOf<typeof addDependent>["body"]>,
): Promise<ReplyOf<typeof addDependent>> {
  const added = await call(addDependent, { ...of(id), body });
  void refresh(client, id);
  return added;
}

export const dependentUpdate = (client: QueryClient, id: string, dependentId: string) =>
  mutationOptions({
    mutationFn: () => call(updateDependent, one(id, dependentId)),
    onSettled: () => refresh(client, id),
  });

export const dependentRemoval = (client: QueryClient, id: string, dependentId: string) =>
  mutationOptions({
    mutationFn: () => call(removeDependent, one(id, dependentId)),
    onSettled: () => refresh(client, id),
  });
