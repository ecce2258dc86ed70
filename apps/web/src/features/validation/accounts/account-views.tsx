// The three views of "Account Validation": an overview of both lists, all attempts, all failures.
import { Anchor } from "@mantine/core";
import type { ReplyOf, listValidationAttempts, listValidationFailures } from "@strongroom/contract";
import type { ReactNode } from "react";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { AttemptTable } from "./attempt-table.tsx";
import { AttemptRows } from "./attempt-rows.tsx";
import classes from "./accounts-tab.module.css";
import { FailureRows } from "./failure-rows.tsx";
import { FIRST } from "../overview/first-few.tsx";
import type { AccountView } from "../validation-address.ts";

interface List<Page> {
  data: { pages: readonly Page[] } | undefined;
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  isPlaceholderData: boolean;
  fetchNextPage: () => Promise<unknown>;
}

export interface AccountViewsProps {
  view: AccountView;
  attempts: List<ReplyOf<typeof listValidationAttempts>>;
  failures: List<ReplyOf<typeof listValidationFailures>>;
  onView: (view: AccountView) => void;
}

export function AccountViews({ view, attempts, failures, onView }: AccountViewsProps) {
  const newestAttempts = (
    <Loaded query={attempts}>
      {({ pages }) => <AttemptRows attempts={pages.flatMap((page) => page.attempts).slice(0, FIRST)} />}
    </Loaded>
  );
  const shownFailures = (most: number) => (
    <Loaded query={failures}>
      {({ pages }) => <FailureRows failures={pages.flatMap((page) => page.failures).slice(0, most)} />}
    </Loaded>
  );
  if (view === "attempts") {
    return (
      <SectionCard title="Recent Attempts">
        <Loaded query={attempts}>
          {({ pages }) => (
            <AttemptTable
              attempts={pages.flatMap((page) => page.attempts)}
              list={attempts}
              isStale={attempts.isPlaceholderData}
            />
          )}
        </Loaded>
        {attempts.isFetchNextPageError && <LoadMore of={attempts} />}
      </SectionCard>
    );
  }
  if (view === "failures") {
    return (
      <SectionCard title="Failures">
        {shownFailures(Infinity)}
        <LoadMore of={failures} />
      </SectionCard>
    );
  }
  const all = (to: AccountView): ReactNode => (
    <Anchor component="button" type="button" fz="sm" onClick={() => onView(to)}>
      Show all
    </Anchor>
  );
  return (
    <div className={classes.two}>
      <SectionCard title="Recent Attempts" actions={all("attempts")}>
        {newestAttempts}
      </SectionCard>
      <SectionCard title="Failures" actions={all("failures")}>
        {shownFailures(FIRST)}
      </SectionCard>
    </div>
  );
}
