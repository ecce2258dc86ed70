// Whether the signed-in user's account is waiting for activation: until then only their profile and their vault are
// available.
import { currentSession as readSession } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { queryOf } from "#shared/api/query.ts";

/** How often the page polls while an account is pending, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/** False until the server has replied. The layout sends the query; this only reads its result. */
export function useIsPending(): boolean {
  const { data } = useQuery({ ...queryOf(readSession), enabled: false });
  return data?.is_pending === true;
}

/** Mounted once: detects the activation and refetches everything that was refused before. */
export function useActivationWatch(): boolean {
  const client = useQueryClient();
  const { data } = useQuery({
    ...queryOf(readSession),
    refetchInterval: (query) => (query.state.data?.is_pending === true ? LOOK_EVERY_MS : false),
  });
  const isPending = data?.is_pending === true;
  const wasPending = useRef(false);
  useEffect(() => {
    if (wasPending.current && !isPending) void client.invalidateQueries();
    wasPending.current = isPending;
  }, [client, isPending]);
  return isPending;
}
