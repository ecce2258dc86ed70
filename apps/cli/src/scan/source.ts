// One file to scan, or one that was not scanned, with the reason.
export type Source =
  | { path: string; content: Uint8Array; hasChanged?: (from: number, to: number) => boolean }
  | { path: string; unread: Unread };

const UNREAD = ["permission denied", "too large", "unreadable"] as const;
export type Unread = (typeof UNREAD)[number];

/** `node_modules/**` and `*.min.js`; a pattern without a slash matches the name in every folder. */
export function excluded(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => {
    const body = pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replace(/\*\*\/?|\*|\?/g, (star) => (star.startsWith("**") ? "(?:.*/)?" : star === "*" ? "[^/]*" : "[^/]"));
    return new RegExp(`(?:^|/)${body.replace(/\/$/, "")}(?:/|$)`);
  });
  return (path) => tests.some((test) => test.test(path));
}
