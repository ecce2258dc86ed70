// The runs whose progress stands on the page: those that were begun here, and those that were left under way.
import type { RotationRun } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
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
  const [runs, setRuns] = useState<readonly AccountRun[]>([]);
  const { data } = useQuery(runningRotations);
  useEffect(() => {
    if (data !== undefined) setRuns((before) => withFound(before, data.runs));
  }, [data]);
  return {
    runs,
    follow: (run) => setRuns((before) => [run, ...before]),
    dismiss: (run) => setRuns((before) => before.filter(({ id }) => id !== run.id)),
  };
}

function withFound(followed: readonly AccountRun[], found: readonly RotationRun[]): readonly AccountRun[] {
  const known = new Set<string>(followed.map(({ id }) => id));
  const others = found.filter(({ id }) => !known.has(id));
  return [...followed, ...others.map(({ id }): AccountRun => ({ kind: "rotation", id }))];
}
