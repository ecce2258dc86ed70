// Limits the running jobs of one group in this process.

export interface GroupSlots {
  /** Runs the work once the group is below its limit; a job without a group runs immediately. */
  within<T>(group: string | null | undefined, work: () => Promise<T>): Promise<T>;
}

/**
 * The queue checks a group before it assigns a job, but two workers that ask at the same moment both find the group free. Here,
 * the second worker waits.
 */
export function groupSlots(limit: number): GroupSlots {
  const atWork = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  async function enter(group: string): Promise<void> {
    const count = atWork.get(group) ?? 0;
    if (count < limit) {
      atWork.set(group, count + 1);
      return;
    }
    // The job that finishes passes its slot on.
    await new Promise<void>((resolve) => waiting.set(group, [...(waiting.get(group) ?? []), resolve]));
  }

  function leave(group: string): void {
    const [next, ...others] = waiting.get(group) ?? [];
    if (others.length === 0) waiting.delete(group);
    else waiting.set(group, others);
    if (next !== undefined) return next();
    const left = (atWork.get(group) ?? 1) - 1;
    if (left === 0) atWork.delete(group);
    else atWork.set(group, left);
  }

  return {
    async within(group, work) {
      if (group === null || group === undefined) return await work();
      await enter(group);
      try {
        return await work();
      } finally {
        leave(group);
      }
    },
  };
}
