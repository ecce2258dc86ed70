// Hands a download to the browser as a file, because a plain link could not carry the sign-in token.

/** The day in UTC, so that two people name the same export alike. */
export const exportFileName = (now: Date): string => `audit-trail-${now.toISOString().slice(0, 10)}.jsonl`;

export const evidenceFileName = (id: string): string => `audit-evidence-${id}.jsonl`;

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the content over once the click returned to the event loop.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
