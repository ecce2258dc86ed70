// Search, filters and buttons of "Account Validation" (VAL-15 to VAL-23).
import { Button, Select } from "@mantine/core";
import { IconDownload, IconRefresh } from "@tabler/icons-react";
import { ALERT_SEVERITIES, AttemptStatusFilter } from "@strongroom/contract";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { verificationLabel } from "#shared/ui/verification-badge.tsx";
import classes from "./accounts-tab.module.css";
import { BulkValidateButton } from "../bulk/bulk-validate-button.tsx";
import { severityChoices } from "../figures.ts";
import type { Report } from "../report/use-report.ts";
import { SYSTEM_CHOICES, tableFilterOf, type AccountView } from "../validation-address.ts";

export interface AccountsToolbarProps {
  view: AccountView;
  onRefresh: () => void;
  isRefreshing: boolean;
  onBulk: () => void;
  /** True without a high or critical failure, or while a bulk validation runs (VAL-21, VAL-22). */
  isBulkDisabled: boolean;
  report: Report;
}

const STATUS_CHOICES = [
  { value: "", label: "All statuses" },
  ...AttemptStatusFilter.options.map((status) => ({ value: status as string, label: verificationLabel(status) })),
];

export function AccountsToolbar(props: AccountsToolbarProps) {
  const [params, setParams] = useSearchParams();
  const { system, status, severity } = tableFilterOf(params);
  const choose = (part: string) => (value: string | null) =>
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  return (
    <div className={classes.toolbar} role="search" aria-label="Account validation">
      <AddressSearch label="Search account validation" placeholder="Search by name, host or user" />
      <Filter label="Status" data={STATUS_CHOICES} value={status} onChange={choose("status")} />
      {props.view === "failures" && (
        <Filter
          label="Severity"
          data={severityChoices(ALERT_SEVERITIES)}
          value={severity}
          onChange={choose("severity")}
        />
      )}
      <Filter label="System" data={SYSTEM_CHOICES} value={system} onChange={choose("system")} />
      <Buttons {...props} />
    </div>
  );
}

function Buttons({ onRefresh, isRefreshing, onBulk, isBulkDisabled, report }: AccountsToolbarProps) {
  return (
    <div className={classes.buttons}>
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        onClick={onRefresh}
        loading={isRefreshing}
      >
        Refresh
      </Button>
      <BulkValidateButton isDisabled={isBulkDisabled} onConfirm={onBulk} />
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => report.save("xlsx")}
        loading={report.isSaving}
      >
        Export Report
      </Button>
    </div>
  );
}

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
