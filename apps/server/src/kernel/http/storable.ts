// Text that neither PostgreSQL nor canonical JSON can hold: NUL characters and halves of surrogate pairs.

/** Deeper nesting serves nobody and would exhaust the stack of whatever reads it. */
const DEEPEST = 40;

/** Whether every text in a parsed request, names of fields included, can be stored as it is. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (Array.isArray(value)) return depth < DEEPEST && value.every((each) => isStorable(each, depth + 1));
  if (value === null || typeof value !== "object") return true;
  if (depth >= DEEPEST) return false;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner, depth + 1));
}
