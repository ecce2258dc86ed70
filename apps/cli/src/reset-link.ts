// Prints a link by which somebody sets a new password. Printing it is what its commands are for.
import { note, say, sayJson } from "./output.ts";

export function sayLink({ link, expiresAt }: { link: string; expiresAt: Date }, asJson: boolean | undefined): void {
  if (asJson) return sayJson({ link, expires_at: expiresAt.toISOString() });
  say(link);
  note(`It works once, until ${expiresAt.toISOString()}. Whoever has it can sign in as them.`);
}
