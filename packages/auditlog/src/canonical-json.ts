// The JSON Canonicalization Scheme (RFC 8785): one text for each value, so that values can be hashed.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Deeper values are refused, so that a hostile file cannot exhaust the stack. */
const MAX_DEPTH = 64;

/**
 * The canonical text of a JSON value (RFC 8785 §3.2): no whitespace, members sorted by UTF-16 code units, numbers and
 * strings as ECMAScript writes them. Encode it as UTF-8 for hashing. Throws a TypeError for values that JSON cannot
 * hold without loss: NaN, infinities, undefined, functions, bigints, instances of classes (a Date, or a type that
 * guards a secret), lone surrogates, array holes, more than 64 levels.
 */
export function canonicalise(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      return writeNumber(value);
    case "object":
      if (depth >= MAX_DEPTH) throw new TypeError(`canonical JSON allows at most ${MAX_DEPTH} levels`);
      return Array.isArray(value) ? writeArray(value, depth + 1) : writeObject(value, depth + 1);
    default:
      throw new TypeError(`canonical JSON cannot represent a value of type ${typeof value}`);
  }
}

/** RFC 8785 §3.2.2.3: the shortest text that parses to the same IEEE 754 double; minus zero is zero. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError("canonical JSON cannot represent NaN or an infinity");
  return String(value);
}

/** Printable ASCII without quote and backslash: nothing to escape, the fast path for most strings. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** RFC 8785 §3.2.2.2. The escapes are those of JSON.stringify, after lone surrogates are ruled out. */
function writeString(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new TypeError("canonical JSON cannot represent a lone surrogate");
  return JSON.stringify(value);
}

function writeArray(values: readonly unknown[], depth: number): string {
  let text = "[";
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ",";
    text += write(values[i], depth);
  }
  return text + "]";
}

function writeObject(value: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError("canonical JSON accepts only plain objects, not class instances");
  }
  const members = value as Record<string, unknown>;
  let text = "{";
  // RFC 8785 §3.2.3: JavaScript sorts strings by UTF-16 code units by default.
  for (const name of Object.keys(members).sort()) {
    if (text.length > 1) text += ",";
    text += writeString(name) + ":" + write(members[name], depth);
  }
  return text + "}";
}
