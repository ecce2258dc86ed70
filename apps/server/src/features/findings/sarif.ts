// Writes findings as SARIF 2.1.0. Names come from scanned systems, so they may contain anything.
import { placeOf } from "@strongroom/contract";

export interface SarifPlace {
  hostname: string;
  /** As stored, such as `/etc/app.env` or `column:shop.public.settings.value`. */
  path: string;
  line: number;
}

/** A `physicalLocation`. Places without lines are on line 1, the lowest that SARIF permits. */
export const sarifLocation = ({ hostname, path, line }: SarifPlace) => ({
  artifactLocation: { uri: uriOf(hostname, path) },
  region: { startLine: Math.max(1, line) },
});

/** A valid URI (RFC 3986), also for names with `#`, `?` or spaces, and for places that are not files. */
function uriOf(hostname: string, path: string): string {
  const host = hostname.includes(":") ? `[${hostname.replace(/^\[|\]$/g, "")}]` : encodeURIComponent(hostname);
  const at = (scheme: string, ...parts: readonly string[]) => `${scheme}://${host}/${parts.map(encoded).join("/")}`;
  const place = placeOf(path);
  switch (place.kind) {
    case "file":
      return at("ssh", place.path.replace(/^\/+/, ""));
    case "object":
      return `s3://${encoded(place.address.slice("s3://".length))}`;
    case "repository":
      return at("git", place.repository, place.path);
    case "process":
      return at("process", place.part, place.user, place.name);
    default:
      return at(place.kind, place.name);
  }
}

const encoded = (path: string): string => path.toWellFormed().split("/").map(encodeURIComponent).join("/");

/**
 * A plain text message in which nothing is a link (SARIF 2.1.0 §3.11.6), and no character hides or reorders others.
 */
export const sarifText = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
    .replaceAll(/[[\]]/g, String.raw`\$&`);
