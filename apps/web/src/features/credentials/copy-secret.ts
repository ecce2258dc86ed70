// Reveals a secret and puts it on the clipboard without keeping it anywhere on the way.
import { messageOf } from "#shared/api/call-error.ts";

const COPIED = "Password copied to clipboard!";
const NOT_COPIED = "Failed to copy credential to clipboard";

export interface CopyNotice {
  kind: "success" | "error";
  text: string;
}

/**
 * VAULT-34, VAULT-35. `reveal` asks the server, which has the record of it before it answers; `write` is the clipboard,
 * called at once, because some browsers allow it only within the click.
 * A refused reveal is told in the server's words: the clipboard had no part in it.
 */
export async function copyRevealed(
  reveal: () => Promise<{ value: string }>,
  write: (secret: Promise<string>) => Promise<void>,
): Promise<CopyNotice> {
  const secret = reveal().then(({ value }) => value);
  try {
    await write(secret);
    return { kind: "success", text: COPIED };
  } catch {
    // Whatever the clipboard's reason, the person has to know that it does not hold the secret.
    const text = await secret.then(
      () => NOT_COPIED,
      (refusal: unknown) => messageOf(refusal, NOT_COPIED),
    );
    return { kind: "error", text };
  }
}
