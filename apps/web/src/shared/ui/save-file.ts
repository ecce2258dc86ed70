// Saves a download as a file, because a plain link could not send the sign-in token.

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken over the content after the click returns to the event loop.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
