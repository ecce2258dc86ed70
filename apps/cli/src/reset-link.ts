// Prints a link with which a user sets a new password.
import { note, print, printJson } from "./output.ts";

export function printLink({ link, expiresAt }: { link: string; expiresAt: Date }, asJson: boolean | undefined): void {
  if (asJson) return printJson({ link, expires_at: expiresAt.toISOString() });
  print(link);
  note(`It works once, until ${expiresAt.toISOString()}. Anyone who has it can sign in as this user.`);
}
