// The accounts of "Bulk Validate Critical": every critical or high failure, independent of filters (VAL-21, VAL-73).
import type { Severity, ValidationFailure } from "@strongroom/contract";

/** The limit of one call. */
const MOST = 1000;
const WORST = ["critical", "high"] as const satisfies readonly Severity[];

interface FailurePage {
  failures: readonly Pick<ValidationFailure, "account_id" | "may_validate">[];
  next_cursor: string | null;
}

/** Reads all pages, critical failures first, and returns at most `MOST` account ids. */
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
