// Groups items that arrive while earlier work is running, and processes them together.

interface Waiting<In, Out> {
  item: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that passes its items to `work` in groups of at most `most`. A single item is processed immediately; items
 * that arrive while a group runs form the next group. `work` answers in order; if it throws, every item of that group fails
 * with the same error.
 *
 * If `secondAt` or more items wait, a second group runs in parallel, so that this process prepares one while the database
 * executes the other. With fewer items, that would only make groups smaller and more expensive.
 */
export function gather<In, Out>(
  most: number,
  work: (items: readonly In[]) => Promise<readonly Out[]>,
  secondAt = Infinity,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let busy = 0;

  /** A single runner continues while items wait. If two are running, one of them leaves the rest to the other. */
  const isWorthGoingOn = () => waiting.length > 0 && (busy === 1 || waiting.length >= secondAt);

  async function drain(): Promise<void> {
    busy += 1;
    // Items that are already in the event queue belong to this group.
    await new Promise<void>((done) => setImmediate(done));
    while (isWorthGoingOn()) {
      const group = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const outs = await work(group.map((each) => each.item));
        if (outs.length !== group.length) throw new Error("the work did not return a result for every item");
        group.forEach((each, index) => each.resolve(outs[index] as Out));
      } catch (error) {
        for (const each of group) each.reject(error);
      }
    }
    busy -= 1;
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (busy === 0 || (busy === 1 && waiting.length >= secondAt)) void drain();
    });
}
