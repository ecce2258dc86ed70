// Which accounts "Bulk Validate Critical" tries: all that fail and are critical or high, whatever is on screen (VAL-21, VAL-73).
import type { Severity, ValidationFailure } from "@strongroom/contract";

/** More than the trigger takes at once. */
const MOST = 1000;
const WORST = ["critical", "high"] as const satisfies readonly Severity[];

interface FailurePage {
  failures: readonly Pick<ValidationFailure, "account_id" | "may_validate">[];
  next_cursor: string | null;
}

/** Asks page after page; the critical ones come first, and a thousand is the end. */
export async function criticalFailures(
  ask: (severity: Severity, cursor: string | undefined) => Promise<FailurePage>,
): Promise<string[]> {
  const ids: string[] = [];
  for (const severity of WORST) {
    let cursor: string | undefined;
    do {
      // oxlint-disable-next-line no-await-in-loop -- a page names the next
      const page: FailurePage = await ask(severity, cursor);
      ids.push(...page.failures.filter((failure) => failure.may_validate).map((failure) => failure.account_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined && ids.length < MOST);
  }
  return ids.slice(0, MOST);
}

/** VAL-21. */
export const hasCritical = (bySeverity: Record<"critical" | "high", number>): boolean =>
  WORST.some((severity) => bySeverity[severity] > 0);
