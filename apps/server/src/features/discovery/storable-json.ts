// Writes values from a target as JSON that PostgreSQL can store.

/** `jsonb` cannot store NUL or lone surrogates, which names of a hostile target may contain. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "string" ? each.toWellFormed().replaceAll("\0", "\uFFFD") : each,
  );
