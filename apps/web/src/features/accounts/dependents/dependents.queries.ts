// Server state of an account's dependents.
import {
  addDependent,
  listDependents,
  listProposedDependents,
  removeDependent,
  updateDependent,
  type Account,
  type AccountId,
  type DependentId,
  type InputOf,
  type ReplyOf,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

const of = (id: string) => ({ params: { id: id as AccountId } });
const one = (id: string, dependentId: string) => ({
  params: { id: id as AccountId, dependentId: dependentId as DependentId },
});

export const dependents = (id: string) => queryOf(listDependents, of(id));

export const proposedDependents = (id: string) => queryOf(listProposedDependents, of(id));

/** The server also requires that no approval is needed. */
export const canSeeProposals = ({ my_permissions: mine }: Account): boolean =>
  (["update_properties", "manage_secret", "retrieve"] as const).every((each) => mine.includes(each));

/** Also refreshes the proposals: their path begins with that of the list. */
const refresh = (client: QueryClient, id: string): Promise<void> =>
  invalidatePath(client, `/api/v1/accounts/${id}/dependents`);

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

/** For dependents whose reply contains no signing key. */
export const dependentAddition = (
  client: QueryClient,
  id: string,
  body: NonNullable<InputOf<typeof addDependent>["body"]>,
) => mutationOptions({ mutationFn: () => sendDependent(client, id, body) });
