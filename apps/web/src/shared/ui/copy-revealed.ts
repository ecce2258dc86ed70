// Reveals a secret and writes it to the clipboard without storing it elsewhere.
import { messageOf } from "#shared/api/call-error.ts";

const COPIED = "Password copied to clipboard!";

export interface CopyNotice {
  kind: "success" | "error";
  text: string;
  /** The error of a refused reveal, else undefined. */
  refusal?: unknown;
}

/**
 * VAULT-34, VAULT-35. `reveal` calls the server, which records the reveal before it replies; `write` is the
 * clipboard, called immediately because some browsers allow it only during the click. A refused reveal is reported with
 * the server's message, because the clipboard did not cause it.
 */
export async function copyRevealedSecret(
  reveal: () => Promise<string>,
  write: (secret: Promise<string>) => Promise<void>,
  notCopied: string,
): Promise<CopyNotice> {
  const secret = reveal();
  try {
    await write(secret);
    return { kind: "success", text: COPIED };
  } catch {
    // Whatever the clipboard's error, the user has to know that the secret was not copied.
    return secret.then(
      () => ({ kind: "error", text: notCopied }),
      (refusal: unknown) => ({ kind: "error", text: messageOf(refusal, notCopied), refusal }),
    );
  }
}
