// Copies to the clipboard; a secret is cleared from it after 30 seconds where the browser allows.
import { toast } from "./toast.ts";

export const CLEAR_AFTER_MS = 30_000;

/**
 * Writes a text to the clipboard. A promise can be passed immediately, while the click that allows writing still counts
 * (Safari requires that). Rejects when the browser refuses or the promise rejects.
 */
export async function copyText(text: string | Promise<string>): Promise<void> {
  // Over plain HTTP from another host browsers offer no clipboard; treat that as a denied permission.
  if (navigator.clipboard === undefined) throw new Error("This browser allows copying only over HTTPS");
  const canWait = typeof ClipboardItem === "function" && typeof navigator.clipboard.write === "function";
  if (typeof text === "string" || !canWait) {
    await navigator.clipboard.writeText(await text);
    return;
  }
  const item = new ClipboardItem({ "text/plain": text.then((value) => new Blob([value], { type: "text/plain" })) });
  await Promise.all([text, navigator.clipboard.write([item])]);
}

let clearing: ReturnType<typeof setTimeout> | undefined;

/**
 * Clears the clipboard unless a different text has been copied since, as far as the browser allows reading it. Returns whether
 * it was cleared.
 */
async function clearIfStillThere(secret: string): Promise<boolean> {
  try {
    if ((await navigator.clipboard.readText()) !== secret) return false;
  } catch {
    // Reading needs a permission that most users never gave. After leaving this page the user may have copied different
    // text elsewhere, so clear only while the page has the focus.
    if (!document.hasFocus()) return false;
  }
  // The page can do no more when the browser refuses.
  return navigator.clipboard.writeText("").then(
    () => true,
    () => false,
  );
}

async function clear(secret: string): Promise<void> {
  if (await clearIfStillThere(secret)) toast.custom("Clipboard cleared");
}

/** Copies a secret and clears it from the clipboard after 30 seconds. Rejects when the copy is refused. */
export async function copySecret(secret: string | Promise<string>): Promise<void> {
  await copyText(secret);
  const value = await secret;
  clearTimeout(clearing);
  clearing = setTimeout(() => void clear(value), CLEAR_AFTER_MS);
}
