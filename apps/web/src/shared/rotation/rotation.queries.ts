// Queries and mutations of rotations, for accounts and for personal credentials.
import {
  cancelRotation,
  cancelRotationRun,
  listAccountRotations,
  listCredentialRotations,
  listRotationRuns,
  readRotation,
  readRotationRun,
  reconcileAccount,
  rotateAccount,
  rotateCredential,
  type AccountId,
  type CredentialId,
  type Rotation,
  type RotationId,
  type RotationRunId,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { untilEnded } from "#shared/runs/until-ended.ts";

/** The account or credential whose password is rotated. */
export interface Rotated {
  kind: "account" | "credential";
  id: string;
  name: string;
}

const PAGE_SIZE = 10;

const ofAccount = (id: string) => ({ params: { id: id as AccountId } });
const ofCredential = (id: string) => ({ params: { id: id as CredentialId } });

const listKey = ({ kind, id }: Rotated) =>
  kind === "account" ? keyOf(listAccountRotations, ofAccount(id)) : keyOf(listCredentialRotations, ofCredential(id));

/** Newest first, so an open one is the first. */
export const rotations = (of: Rotated) =>
  infiniteQueryOptions({
    queryKey: listKey(of),
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, cursor: pageParam };
      return of.kind === "account"
        ? call(listAccountRotations, { ...ofAccount(of.id), query }, { signal })
        : call(listCredentialRotations, { ...ofCredential(of.id), query }, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

const at = (id: string) => ({ params: { id: id as RotationId } });

/** The rotation with its journal. */
export const rotationDetail = (id: string) => queryOf(readRotation, at(id));

/** HTTP-09, ACC-33: invalidates every query that shows the account or credential, including lists and statistics. */
async function staleAfter(client: QueryClient, { kind }: Pick<Rotated, "kind">): Promise<void> {
  const paths = [kind === "account" ? "/api/v1/accounts" : "/api/v1/credentials", "/api/v1/rotations", "/api/v1/cpm"];
  await Promise.all([...paths, "/api/v1/audit"].map((path) => invalidatePath(client, path)));
}

/** VAULT-32, ACC-33. Resumes an open rotation immediately. */
export const rotating = (client: QueryClient, of: Rotated) =>
  mutationOptions({
    mutationFn: () =>
      of.kind === "account" ? call(rotateAccount, ofAccount(of.id)) : call(rotateCredential, ofCredential(of.id)),
    onSuccess: () => void staleAfter(client, of),
  });

export const reconciling = (client: QueryClient, of: Rotated) =>
  mutationOptions({
    mutationFn: () => call(reconcileAccount, ofAccount(of.id)),
    onSuccess: () => void staleAfter(client, of),
  });

export const cancelling = (client: QueryClient, of: Rotated, rotation: Pick<Rotation, "id">) =>
  mutationOptions({
    mutationFn: () => call(cancelRotation, at(rotation.id)),
    onSettled: () => void staleAfter(client, of),
  });

/**
 * The runs in progress when the page opened: fetched once per visit, under a key that no invalidation matches. After
 * that each run is followed individually until after its end.
 */
export const runningRotations = {
  ...queryOf(listRotationRuns),
  queryKey: ["rotation runs under way"],
  gcTime: 0,
  staleTime: Infinity,
};

const byRun = (id: string) => ({ params: { id: id as RotationRunId } });

export const rotationRun = (id: string) => ({
  ...queryOf(readRotationRun, byRun(id), { isBackground: true }),
  ...untilEnded,
});

export const runCancellation = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: () => call(cancelRotationRun, byRun(id)),
    onSuccess: (run) => client.setQueryData(rotationRun(id).queryKey, run),
  });
