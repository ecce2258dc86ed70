// "Account Validation": an overview, the attempts and the failures, with their search and filters (VAL-14 to VAL-25).
import { Button, Select, Tabs } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload, IconRefresh, IconShieldBolt } from "@tabler/icons-react";
import { ALERT_SEVERITIES, VALIDATION_STATUSES, type RunId, type ValidationRange } from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { choiceOf, withParam } from "#shared/format/address.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { AccountViews } from "./account-views.tsx";
import classes from "./accounts-tab.module.css";
import { BulkValidateDialog } from "./bulk-validate-dialog.tsx";
import { hasCritical } from "./critical-failures.ts";
import { STATUS_WORDS, countText, severityChoices } from "./figures.ts";
import type { Report } from "./use-report.ts";
import { useBulkValidation } from "./use-bulk-validation.ts";
import { ACCOUNT_VIEWS, SYSTEM_CHOICES, narrowingOf, type AccountView } from "./validation-address.ts";
import { attemptList, failureList } from "./validation.queries.ts";

export interface AccountsTabProps {
  range: ValidationRange;
  report: Report;
  /** A run was started. */
  onRun: (id: RunId) => void;
}

const STATUS_CHOICES = [
  { value: "", label: "All statuses" },
  ...VALIDATION_STATUSES.map((status) => ({ value: status as string, label: STATUS_WORDS[status] })),
];

export function AccountsTab({ range, report, onRun }: AccountsTabProps) {
  const [params, setParams] = useSearchParams();
  const view = choiceOf(params, "view", ACCOUNT_VIEWS);
  const { search, system, status, severity } = narrowingOf(params);
  const attempts = useInfiniteQuery(attemptList({ search, system, status, range }));
  const failures = useInfiniteQuery(failureList({ search, system, severity }));
  const bulk = useBulkValidation(onRun);
  const [isAsking, asking] = useDisclosure(false);
  const choose = (part: string) => (value: string | null) =>
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  const bySeverity = failures.data?.pages[0]?.by_severity;

  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Account validation">
        <AddressSearch label="Search account validation" placeholder="Search by name, host or user" />
        {view === "failures" ? (
          <Filter
            label="Severity"
            data={severityChoices(ALERT_SEVERITIES)}
            value={severity}
            onChange={choose("severity")}
          />
        ) : (
          <Filter label="Status" data={STATUS_CHOICES} value={status} onChange={choose("status")} />
        )}
        <Filter label="System" data={SYSTEM_CHOICES} value={system} onChange={choose("system")} />
        <div className={classes.buttons}>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => void Promise.all([attempts.refetch(), failures.refetch()])}
            loading={attempts.isRefetching && failures.isRefetching}
          >
            Refresh
          </Button>
          <Button
            variant="default"
            leftSection={<IconShieldBolt size={16} aria-hidden />}
            onClick={asking.open}
            disabled={bySeverity === undefined || !hasCritical(bySeverity) || bulk.isRunning}
          >
            Bulk Validate Critical
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => report.save("xlsx")}
            loading={report.isSaving}
          >
            Export Report
          </Button>
        </div>
      </div>
      <Tabs
        variant="pills"
        value={view}
        onChange={(next) => setParams((before) => withParam(before, "view", next === "overview" ? "" : (next ?? "")))}
        keepMounted={false}
      >
        <Tabs.List aria-label="Account validation" className={classes.views}>
          {ACCOUNT_VIEWS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {VIEW_LABELS[each](attempts.data?.pages[0]?.total, failures.data?.pages[0]?.total)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={view}>
          <AccountViews view={view} attempts={attempts} failures={failures} onView={choose("view")} />
        </Tabs.Panel>
      </Tabs>
      <BulkValidateDialog
        opened={isAsking}
        onClose={asking.close}
        onConfirm={() => {
          asking.close();
          bulk.start();
        }}
      />
    </>
  );
}

const counted = (word: string, total: number | undefined) =>
  total === undefined ? word : `${word} (${countText(total)})`;

/** VAL-14. */
const VIEW_LABELS: Record<AccountView, (attempts: number | undefined, failures: number | undefined) => string> = {
  overview: () => "Overview",
  attempts: (attempts) => counted("Recent Attempts", attempts),
  failures: (_, failures) => counted("Failures", failures),
};

interface FilterProps {
  label: string;
  data: { value: string; label: string }[];
  value: string | undefined;
  onChange: (value: string | null) => void;
}

function Filter({ label, data, value, onChange }: FilterProps) {
  return (
    <Select
      className={classes.filter}
      aria-label={label}
      data={data}
      value={value ?? ""}
      onChange={onChange}
      allowDeselect={false}
    />
  );
}
