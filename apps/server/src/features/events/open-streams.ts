// Tracks open event streams per user and limits their number.

/** The maximum number of open streams per user (tabs and devices); a new stream beyond that closes the oldest. */
const MOST_FOR_ONE = 20;

export interface OpenStreams {
  /** Returns a function to call when the stream has closed. */
  add(userId: string, end: () => void): () => void;
  size(): number;
  endAll(): void;
}

export function createOpenStreams(): OpenStreams {
  const streams = new Map<string, Set<() => void>>();
  return {
    add(userId, end) {
      const own = streams.get(userId) ?? new Set();
      streams.set(userId, own);
      own.add(end);
      const [oldest] = own;
      if (own.size > MOST_FOR_ONE && oldest !== undefined) {
        own.delete(oldest);
        oldest();
      }
      return () => {
        own.delete(end);
        if (own.size === 0 && streams.get(userId) === own) streams.delete(userId);
      };
    },
    size: () => [...streams.values()].reduce((sum, own) => sum + own.size, 0),
    endAll() {
      for (const own of streams.values()) for (const end of own) end();
    },
  };
}
