// Picks the lines of a text that have a trigger, so that the others are never parsed.

/** Lines beyond this length are read in pieces around their triggers. */
const LONGEST_LINE = 4096;
/** Characters before the trigger that belong to its piece. */
const BEFORE = 256;

/** Spans of lines with a match of `trigger`. The work is linear in the length of the text, whatever its lines are. */
export function* linesWith(trigger: RegExp, text: string): Generator<{ from: number; to: number }> {
  const search = new RegExp(trigger.source, trigger.flags);
  let [lineStart, lineEnd] = [0, -1];
  for (let hit = search.exec(text); hit !== null; hit = search.exec(text)) {
    if (hit.index >= lineEnd) {
      lineStart = text.lastIndexOf("\n", hit.index) + 1;
      const next = text.indexOf("\n", hit.index);
      lineEnd = next === -1 ? text.length : next;
    }
    const isWhole = lineEnd - lineStart <= LONGEST_LINE;
    const from = isWhole ? lineStart : Math.max(lineStart, hit.index - BEFORE);
    const to = isWhole ? lineEnd : Math.min(lineEnd, hit.index + LONGEST_LINE - BEFORE);
    yield { from, to: to > from && text[to - 1] === "\r" ? to - 1 : to };
    search.lastIndex = Math.max(to, hit.index + 1);
  }
}
