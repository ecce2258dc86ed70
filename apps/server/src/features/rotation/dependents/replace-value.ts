// Replaces a password in the content of a file at its exact places, and checks the result by finding it again. Pure.
import { KnownSecretIndex, knownForms, scanText, toXor } from "@strongroom/detectors";
import { referenceText } from "@strongroom/contract";
import type { AccountId, ReferenceForm } from "@strongroom/contract";
import type { Finding } from "@strongroom/detectors";
import { randomBytes } from "node:crypto";

interface Places {
  found: Finding[];
  /** The detectors know the syntax around every place, and would notice if a new value broke it. */
  isSyntaxKnown: boolean;
}

/** All places whose value is `value`, in order. */
function placesOf(content: Buffer, path: string, value: string): Places {
  const isValue = (each: Finding) => each.reveal() === value;
  const bySyntax = scanText(content, { path, minConfidence: 0 }).filter(isValue);
  const key = randomBytes(32);
  const forms = knownForms(value, key).map((form) => ({ ...form, id: "value" }));
  const knownSecrets = new KnownSecretIndex(key, forms);
  const all =
    forms.length === 0 ? bySyntax : scanText(content, { path, minConfidence: 0, knownSecrets }).filter(isValue);
  return all.length > bySyntax.length ? { found: all, isSyntaxKnown: false } : { found: bySyntax, isSyntaxKnown: true };
}

/** Characters without a meaning in the syntax of configuration files. */
const HARMLESS = /^[A-Za-z0-9._~+/=@%^:,-]*$/;

/**
 * The content with the new value; a sentence when that is impossible; null when it has the new value already. The new
 * value is written in the form in which the old one was: plain, escaped, encoded or as part of a URL.
 */
export function replaceValue(
  content: Buffer,
  { path, before, after }: { path: string; before: string; after: string },
): Buffer | string | null {
  const { found: places, isSyntaxKnown } = placesOf(content, path, before);
  if (places.length === 0) {
    return placesOf(content, path, after).found.length > 0
      ? null
      : `${path} no longer contains the previous password. Check the file, then request the update again.`;
  }
  const isHarmless =
    HARMLESS.test(after) || places.every(({ encoding }) => ["url", "base64", "xor"].includes(encoding));
  for (const isEscaped of [false, true]) {
    const written = write(content, places, after, isEscaped);
    const now = placesOf(written, path, after);
    const isThere = now.found.length >= places.length && (now.isSyntaxKnown || isHarmless);
    const isIntact = isSyntaxKnown || isHarmless;
    if (isThere && isIntact && placesOf(written, path, before).found.length === 0) return written;
  }
  return `The new password has characters that ${path} cannot hold in this place. Exclude them in the platform's password policy, rotate again, and request the update.`;
}

/**
 * The content with a reference to the account at each place of the password; a sentence when that is impossible; null when
 * it has the reference already.
 */
export function replaceWithReference(
  content: Buffer,
  { path, before, accountId }: { path: string; before: string; accountId: AccountId },
): Buffer | string | null {
  const { found: places } = placesOf(content, path, before);
  const isXml = /^\s*<[?!A-Za-z]/.test(content.toString("latin1", 0, 200));
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end, encoding } of places) {
    if (start < from) continue;
    const form = isInUrl(content, start) ? "url" : formOf(content, start, encoding, isXml);
    parts.push(content.subarray(from, start), Buffer.from(referenceText({ accountId, form })));
    from = end;
  }
  const written = Buffer.concat([...parts, content.subarray(from)]);
  if (places.length === 0) {
    return content.includes(`{{strongroom:${accountId}`)
      ? null
      : `${path} contains neither the previous password nor a reference to this account. Check the file, then request the update again.`;
  }
  return placesOf(written, path, before).found.length === 0
    ? written
    : `${path} contains the password in a form that cannot be replaced by a reference. Change the file by hand.`;
}

/** Strings in double quotes have backslashes in most formats. */
function formOf(content: Buffer, start: number, encoding: Finding["encoding"], isXml: boolean): ReferenceForm {
  if (encoding === "base64" || encoding === "url") return encoding;
  if (isXml) return "xml";
  return content.toString("latin1", start - 1, start) === '"' ? "json" : "plain";
}

function write(content: Buffer, places: readonly Finding[], value: string, isEscaped: boolean): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end, encoding } of places) {
    if (start < from) continue;
    const form = isInUrl(content, start) ? "url" : encoding;
    parts.push(content.subarray(from, start), Buffer.from(encoded(value, form, isEscaped)));
    from = end;
  }
  return Buffer.concat([...parts, content.subarray(from)]);
}

const LONGEST_URL = 2_000;

/** Whether this place is after the user name and password of a URL. A plain password is also its own encoded form. */
function isInUrl(content: Buffer, start: number): boolean {
  const before = content.toString("latin1", Math.max(0, start - LONGEST_URL), start);
  return /[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>/?#]*:$/i.test(before);
}

function encoded(value: string, encoding: Finding["encoding"], isEscaped: boolean): string {
  if (encoding === "base64") return Buffer.from(value).toString("base64");
  if (encoding === "url") return urlEncoded(value);
  if (encoding === "xor") return toXor(value);
  return isEscaped || (encoding === "escaped" && !value.includes("\n")) ? JSON.stringify(value).slice(1, -1) : value;
}

/** RFC 3986: `encodeURIComponent` leaves five reserved characters unescaped, and one of them ends a quoted string. */
const urlEncoded = (value: string): string =>
  encodeURIComponent(value).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
