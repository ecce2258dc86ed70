// "Account Validation": overview, attempts and failures (VAL-14 to VAL-25).
import { Tabs } from "@mantine/core";
import { AttemptSort, isFailing, type RunId, type ValidationRange } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { choiceOf, withParam } from "#shared/format/address.ts";
import classes from "./accounts-tab.module.css";
import { AccountsToolbar } from "./accounts-toolbar.tsx";
import { AccountViews } from "./account-views.tsx";
import { hasCritical } from "./critical-failures.ts";
import { countText } from "../figures.ts";
import { useBulkValidation } from "../bulk/use-bulk-validation.ts";
import type { Report } from "../report/use-report.ts";
import { ACCOUNT_VIEWS, tableFilterOf, type AccountView } from "../validation-address.ts";
import { attemptList, failureList } from "../validation.queries.ts";

export interface AccountsTabProps {
  range: ValidationRange;
  report: Report;
  /** Called when a run has started. */
  onRun: (id: RunId) => void;
}

export function AccountsTab({ range, report, onRun }: AccountsTabProps) {
  const [params, setParams] = useSearchParams();
  const view = choiceOf(params, "view", ACCOUNT_VIEWS);
  const { search, system, status, severity } = tableFilterOf(params);
  // The overview shows the newest attempts.
  const sort = view === "attempts" ? AttemptSort.safeParse(params.get("sort")).data : undefined;
  const attempts = useInfiniteQuery({
    ...attemptList({ search, system, status, range, sort }),
    placeholderData: keepPreviousData,
  });
  const allFailures = useInfiniteQuery(
    failureList({ search, system, severity, status: status !== undefined && isFailing(status) ? status : undefined }),
  );
  // A status that does not count as failing matches no failure.
  const isListed = status === undefined || status === "failed" || isFailing(status);
  const failures = isListed ? allFailures : { ...allFailures, ...NONE };
  const bulk = useBulkValidation(onRun);
  const bySeverity = allFailures.data?.pages[0]?.by_severity;
  const open = (next: string | null) =>
    setParams((before) => withParam(before, "view", next === "overview" ? "" : (next ?? "")));

  return (
    <>
      <AccountsToolbar
        view={view}
        onRefresh={() => void Promise.all([attempts.refetch(), failures.refetch()])}
        isRefreshing={attempts.isRefetching && failures.isRefetching}
        onBulk={bulk.start}
        isBulkDisabled={bySeverity === undefined || !hasCritical(bySeverity) || bulk.isRunning}
        report={report}
      />
      <Tabs variant="pills" value={view} onChange={open} keepMounted={false}>
        <Tabs.List aria-label="Account validation" className={classes.views}>
          {ACCOUNT_VIEWS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {VIEW_LABELS[each](attempts.data?.pages[0]?.total, failures.data?.pages[0]?.total)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={view}>
          <AccountViews view={view} attempts={attempts} failures={failures} onView={open} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const NONE = {
  data: {
    pages: [{ failures: [], total: 0, by_severity: { critical: 0, high: 0, medium: 0, low: 0 }, next_cursor: null }],
  },
  hasNextPage: false,
};

const counted = (word: string, total: number | undefined) =>
  total === undefined ? word : `${word} (${countText(total)})`;

/** VAL-14. */
const VIEW_LABELS: Record<AccountView, (attempts: number | undefined, failures: number | undefined) => string> = {
  overview: () => "Overview",
  attempts: (attempts) => counted("Recent Attempts", attempts),
  failures: (_, failures) => counted("Failures", failures),
};
