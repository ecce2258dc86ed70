// Queries and mutations of the user's own sessions, and of the password change that ends the others. The sign-in page loads none of them.
import {
  changePassword,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  listOwnTokens,
  listSshKeys,
  type ApiToken,
  type InputOf,
  type SessionId,
} from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useIsPending } from "#shared/session/pending-account.ts";
import { useUser } from "#shared/session/session-store.ts";

const SESSIONS = listOwnSessions.path;
const TOKENS = listOwnTokens.path;

export const useOwnSessions = () => useQuery(queryOf(listOwnSessions));

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: SessionId) => call(endOwnSession, { params: { id } }),
    onSuccess: () => invalidatePath(client, SESSIONS),
  });
}

export function useEndOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(endOtherSessions),
    onSuccess: () => {
      void invalidatePath(client, SESSIONS);
      void invalidatePath(client, TOKENS);
      void invalidatePath(client, listSshKeys.path);
    },
  });
}

/** The user's own tokens, without those of machine identities that they are responsible for. Empty while loading. */
export function useOwnActiveTokens(): ApiToken[] {
  const { id } = useUser();
  const { data } = useQuery(queryOf(listOwnTokens));
  return (data?.data ?? []).filter(({ state, holder }) => state === "active" && holder.id === id);
}

/** Zero while loading, and for a user who waits for activation. */
export function useCountOfSshKeys(): number {
  const isPending = useIsPending();
  const { data } = useQuery({ ...queryOf(listSshKeys), enabled: !isPending });
  return data?.data.filter(({ state }) => state === "active").length ?? 0;
}

/** Ends every other session, and the API tokens and SSH keys that are not kept. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NonNullable<InputOf<typeof changePassword>["body"]>) => call(changePassword, { body }),
    onSuccess: () => {
      void invalidatePath(client, SESSIONS);
      void invalidatePath(client, TOKENS);
    },
  });
}
