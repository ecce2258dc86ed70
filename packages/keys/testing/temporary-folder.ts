// A folder that exists for one test, and a way to run code in it as an ordinary user.
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

const NOBODY = 65_534;

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-keys-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** Runs `act` as an unprivileged user who owns `folder`. Must be synchronous: it changes the whole process. */
export function asOrdinaryUser(folder: string, act: () => void): void {
  if (!isRoot()) return act();
  chmodSync(folder, 0o700);
  chownSync(folder, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    act();
  } finally {
    process.seteuid?.(0);
  }
}
