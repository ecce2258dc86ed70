// Reads values from the JSON of cloud APIs without trusting its form.

export type Json = Readonly<Record<string, unknown>>;

/** Empty for anything other than an object. */
export function objectOf(value: unknown): Json {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : {};
}

export const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? (value as unknown[]).map(objectOf) : []);

/** Empty for anything other than a string. At most 256 characters, without control characters. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value.replaceAll(/\p{Cc}/gu, "").slice(0, 256) : "";

/** An ISO 8601 time; null for anything else. */
export function momentOf(value: unknown): string | null {
  const moment = new Date(typeof value === "string" ? value : Number.NaN);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** The ISO 8601 time of a number of seconds since 1970; null for anything else. */
export function momentOfSeconds(value: unknown): string | null {
  const moment = new Date(typeof value === "number" ? value * 1000 : Number.NaN);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** The latest of these ISO 8601 times; null without a time. */
export const latestOf = (times: readonly (string | null)[]): string | null =>
  times
    .flatMap((time) => time ?? [])
    .toSorted()
    .at(-1) ?? null;
