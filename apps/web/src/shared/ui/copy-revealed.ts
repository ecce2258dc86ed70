// Reveals a secret and puts it on the clipboard without keeping it anywhere on the way.
import { messageOf } from "#shared/api/call-error.ts";

const COPIED = "Password copied to clipboard!";

export interface CopyNotice {
  kind: "success" | "error";
  text: string;
  /** What the server refused the reveal with; undefined when it did not. */
  refusal?: unknown;
}

/**
 * VAULT-34, VAULT-35. `reveal` asks the server, which has the record of it before it answers; `write` is the clipboard,
 * called at once, because some browsers allow it only within the click.
 * A refused reveal is told in the server's words: the clipboard had no part in it.
 */
export async function copyRevealed(
  reveal: () => Promise<string>,
  write: (secret: Promise<string>) => Promise<void>,
  notCopied: string,
): Promise<CopyNotice> {
  const secret = reveal();
  try {
    await write(secret);
    return { kind: "success", text: COPIED };
  } catch {
    // Whatever the clipboard's reason, the person has to know that it does not hold the secret.
    return secret.then(
      () => ({ kind: "error", text: notCopied }),
      (refusal: unknown) => ({ kind: "error", text: messageOf(refusal, notCopied), refusal }),
    );
  }
}
