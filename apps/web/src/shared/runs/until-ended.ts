// Polls a run's progress between its live events until it has ended.

const POLL_MS = 3_000;

interface Followed {
  state: { data: { status: string } | undefined };
}

/** Spread into a run's query options. */
export const untilEnded = {
  refetchInterval: ({ state }: Followed) =>
    state.data === undefined || state.data.status === "running" ? POLL_MS : (false as const),
};
