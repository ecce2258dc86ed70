// Whether a real target can be started on this machine, and what a test does when it cannot.

/** Null when it can be started, else the reason, as the end of "skipped: …". */
export type Unavailable = string | null;

/**
 * Options for node:test. Without the target the test is skipped with the reason, unless STRONGROOM_REQUIRE_TARGETS=1
 * demands it: then it runs and fails.
 */
export function needs(...reasons: Unavailable[]): { skip?: string } {
  const reason = reasons.find((each) => each !== null);
  if (reason === undefined || reason === null || process.env["STRONGROOM_REQUIRE_TARGETS"] === "1") return {};
  return { skip: reason };
}
