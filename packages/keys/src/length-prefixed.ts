// Joins fields so that no two different lists of fields give the same bytes.

/**
 * Each field as a 4-byte big-endian length and its bytes; strings as UTF-8. Throws TypeError for a string with a lone
 * surrogate, which UTF-8 would merge with U+FFFD.
 */
export function lengthPrefixed(...fields: readonly (string | Uint8Array)[]): Buffer {
  const lengths = fields.map(byteLength);
  const joined = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 0));
  let at = 0;
  for (const [index, field] of fields.entries()) {
    at = joined.writeUInt32BE(lengths[index] ?? 0, at);
    if (typeof field === "string") joined.write(field, at, "utf8");
    else joined.set(field, at);
    at += lengths[index] ?? 0;
  }
  return joined;
}

function byteLength(field: string | Uint8Array): number {
  if (typeof field !== "string") return field.length;
  if (!field.isWellFormed()) throw new TypeError("A field must be well-formed Unicode text.");
  return Buffer.byteLength(field, "utf8");
}
