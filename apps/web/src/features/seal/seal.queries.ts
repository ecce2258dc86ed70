// Queries whether the vault is sealed, and unseals it.
import { readSeal, unseal } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { queryOf } from "#shared/api/query.ts";
import { useMutation } from "#shared/api/use-mutation.ts";

/** Milliseconds. Polled because another user may unseal the vault. */
const ASK_EVERY_MS = 5000;

export const useSeal = () =>
  useQuery({ ...queryOf(readSeal, {}, { isBackground: true }), staleTime: 0, refetchInterval: ASK_EVERY_MS });

export function useUnseal() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (passphrase: string) => call(unseal, { body: { passphrase } }),
    onSuccess: () => client.invalidateQueries(),
  });
}
