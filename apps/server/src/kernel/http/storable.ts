// Detects text that PostgreSQL and canonical JSON cannot store: NUL characters and lone surrogates.

/** Deeper nesting is never legitimate and could exhaust the stack. */
const DEEPEST = 40;

/** Whether every text in a parsed request, including field names, can be stored unchanged. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (Array.isArray(value)) return depth < DEEPEST && value.every((each) => isStorable(each, depth + 1));
  if (value === null || typeof value !== "object") return true;
  if (depth >= DEEPEST) return false;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner, depth + 1));
}
