// How a run's progress is asked for: again and again between its live events, until it has ended.

const POLL_MS = 3_000;

interface Followed {
  state: { data: { status: string } | undefined };
}

/** Goes into the query options of a run. */
export const untilEnded = {
  refetchInterval: ({ state }: Followed) =>
    state.data === undefined || state.data.status === "running" ? POLL_MS : (false as const),
};
