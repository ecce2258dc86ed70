// Whether a real target can be started on this machine, and what a test does if it cannot.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Null when it can be started, else the reason, as the end of "skipped: …". */
export type Unavailable = string | null;

/** Looks for programs on the PATH. `programs`: each with the package to install. */
export function missingProgram(programs: Readonly<Record<string, string>>): Unavailable {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const missing = Object.entries(programs).find(([name]) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing === undefined ? null : `there is no ${missing[0]} (install ${missing[1]})`;
}

/**
 * Options for node:test. Without the target the test is skipped with the reason, unless STRONGROOM_REQUIRE_TARGETS=1:
 * then it runs and fails.
 */
export function needs(...reasons: Unavailable[]): { skip?: string } {
  const reason = reasons.find((each) => each !== null);
  if (reason === undefined || reason === null || process.env["STRONGROOM_REQUIRE_TARGETS"] === "1") return {};
  return { skip: reason };
}
