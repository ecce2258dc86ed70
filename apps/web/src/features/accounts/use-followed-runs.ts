// The runs whose progress stands on the page: those that were begun here, and those that were left under way.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { runningRotations } from "#shared/rotation/rotation.queries.ts";
import type { AccountRun } from "./several-accounts.queries.ts";

interface FollowedRuns {
  runs: readonly AccountRun[];
  /** One that has just begun. */
  follow: (run: AccountRun) => void;
  /** Until the page is opened again. */
  dismiss: (run: AccountRun) => void;
}

/** The latest first. One stays until it is dismissed, also after its end. */
export function useFollowedRuns(): FollowedRuns {
  const [begun, setBegun] = useState<readonly AccountRun[]>([]);
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const { data } = useQuery(runningRotations);
  const known = new Set<string>([...begun.map(({ id }) => id), ...dismissed]);
  const left = (data?.runs ?? []).filter(({ id }) => !known.has(id));
  return {
    runs: [...begun, ...left.map(({ id }): AccountRun => ({ kind: "rotation", id }))],
    follow: (run) => setBegun((before) => [run, ...before]),
    dismiss: ({ id }) => {
      setBegun((before) => before.filter((run) => run.id !== id));
      setDismissed((before) => [...before, id]);
    },
  };
}
