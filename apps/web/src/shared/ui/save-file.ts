// Hands a download to the browser as a file, because a plain link could not carry the sign-in token.

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the content over once the click returned to the event loop.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
