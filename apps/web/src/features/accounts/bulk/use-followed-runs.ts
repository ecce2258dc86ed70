// The runs whose progress the page shows: those started here, and unfinished ones from earlier.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { runningRotations } from "#shared/rotation/rotation.queries.ts";
import type { AccountRun } from "./bulk-accounts.queries.ts";

interface FollowedRuns {
  runs: readonly AccountRun[];
  /** Adds a run that has just started. */
  follow: (run: AccountRun) => void;
  /** Hides the run until the page is opened again. */
  dismiss: (run: AccountRun) => void;
}

/** The newest first. A run stays after its end until it is dismissed. */
export function useFollowedRuns(): FollowedRuns {
  const [started, setBegun] = useState<readonly AccountRun[]>([]);
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const { data } = useQuery(runningRotations);
  const known = new Set<string>([...started.map(({ id }) => id), ...dismissed]);
  const left = (data?.runs ?? []).filter(({ id }) => !known.has(id));
  return {
    runs: [...started, ...left.map(({ id }): AccountRun => ({ kind: "rotation", id }))],
    follow: (run) => setBegun((before) => [run, ...before]),
    dismiss: ({ id }) => {
      setBegun((before) => before.filter((run) => run.id !== id));
      setDismissed((before) => [...before, id]);
    },
  };
}
