// Copying to the clipboard; a secret is taken out of it again after 30 seconds where the browser allows.

export const CLEAR_AFTER_MS = 30_000;

/**
 * Puts a text on the clipboard; a promise of one may be passed at once, while the click that allows it still counts
 * (Safari asks for that). Rejects when the browser refuses or the promise does.
 */
export async function copyText(text: string | Promise<string>): Promise<void> {
  // Absent on plain HTTP from another machine: then copying is refused like a denied permission.
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

/** Empties the clipboard unless something else was copied meanwhile, as far as the browser lets us look. */
async function clearIfStillThere(secret: string): Promise<void> {
  try {
    if ((await navigator.clipboard.readText()) !== secret) return;
  } catch {
    // Reading needs a permission that most people never gave. Whoever left this page may have copied something else
    // elsewhere, so clear only while the page has the focus.
    if (!document.hasFocus()) return;
  }
  // A refusal leaves the clipboard as it is: nothing more can be done from a page.
  await navigator.clipboard.writeText("").catch(() => undefined);
}

/** Copies a secret and clears it from the clipboard after 30 seconds. Rejects when the copy is refused. */
export async function copySecret(secret: string | Promise<string>): Promise<void> {
  await copyText(secret);
  const value = await secret;
  clearTimeout(clearing);
  clearing = setTimeout(() => void clearIfStillThere(value), CLEAR_AFTER_MS);
}
