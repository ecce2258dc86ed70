// Gathers what arrives while earlier work is under way, and does it together.

interface Waiting<In, Out> {
  item: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that hands its items to `work` in groups of `most` at the most. An item that arrives alone is
 * worked on at once; those that arrive while a group is under way form the next one. `work` answers in order; if it
 * throws, every item of that group fails with the same error.
 *
 * When `secondAt` or more wait, a second group begins beside the first, so that this process prepares one while the
 * database works on the other. With fewer that would only make the groups smaller, and so dearer.
 */
export function gather<In, Out>(
  most: number,
  work: (items: readonly In[]) => Promise<readonly Out[]>,
  secondAt = Infinity,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let busy = 0;

  /** The only group goes on while anything waits; one of two leaves the rest to the other. */
  const isWorthGoingOn = () => waiting.length > 0 && (busy === 1 || waiting.length >= secondAt);

  async function drain(): Promise<void> {
    busy += 1;
    // Whatever is already in the event queue belongs to this group.
    await new Promise<void>((done) => setImmediate(done));
    while (isWorthGoingOn()) {
      const group = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const outs = await work(group.map((each) => each.item));
        if (outs.length !== group.length) throw new Error("a group was not answered in full");
        group.forEach((each, place) => each.resolve(outs[place] as Out));
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
