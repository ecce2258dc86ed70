// All verification attempts as a dense table (VAL-24, VAL-35).
import { IconShieldSearch } from "@tabler/icons-react";
import { ATTEMPT_SORT_FIELDS, type ValidationAttempt } from "@strongroom/contract";
import { startedBy } from "#shared/runs/started-by.ts";
import { systemLabel } from "#shared/runs/system-label.ts";
import { loginText } from "#shared/runs/login-text.ts";
import { nextPageOf, type PagedList } from "#shared/ui/next-page.ts";
import { ColumnChoice } from "#shared/ui/data-table-tools.tsx";
import { sortableBy, useTableSettings } from "#shared/ui/data-table-settings.ts";
import { DataTable, type DataColumn } from "#shared/ui/data-table.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { measuredTime } from "../figures.ts";
import classes from "./accounts-tab.module.css";
import { secretPath } from "./secret-path.ts";

const COLUMNS: readonly DataColumn<ValidationAttempt>[] = [
  { id: "name", header: "Name", width: 10, grow: 2, cell: (attempt) => attempt.account_name, title: loginText },
  {
    id: "result",
    header: "Result",
    width: 8,
    grow: 0,
    cell: ({ status, error_category }) => (
      <VerificationBadge status={status} isHostKeyChanged={error_category === "host_key"} />
    ),
    stacked: "badge",
  },
  { id: "target", header: "Target", width: 10, grow: 2, cell: loginText, title: loginText, stacked: "line" },
  {
    id: "error",
    header: "Message",
    width: 10,
    grow: 3,
    cell: ({ error_message }) => error_message,
    title: ({ error_message }) => error_message ?? undefined,
    stacked: "line",
  },
  {
    id: "started",
    header: "Started",
    width: 6.5,
    grow: 0,
    cell: ({ started_at }) => <RelativeTime moment={started_at} />,
    stacked: "line",
  },
  { id: "by", header: "Started By", width: 7, cell: startedBy, title: startedBy, isRoomy: true },
  { id: "duration", header: "Took", width: 4.5, grow: 0, cell: ({ duration_ms }) => measuredTime(duration_ms) },
  {
    id: "method",
    header: "Method",
    width: 7,
    cell: ({ verification_method }) => systemLabel(verification_method),
    isRoomy: true,
  },
];

const SORTABLE_COLUMNS = sortableBy(ATTEMPT_SORT_FIELDS, COLUMNS);

export interface AttemptTableProps {
  attempts: readonly ValidationAttempt[];
  list: PagedList;
  /** The rows of an earlier order or filter, while the next ones load. */
  isStale?: boolean;
}

const nameOf = (attempt: ValidationAttempt): string => attempt.account_name;

export function AttemptTable({ attempts, list, isStale = false }: AttemptTableProps) {
  const settings = useTableSettings("attempts", SORTABLE_COLUMNS);
  if (attempts.length === 0) return <EmptyState icon={IconShieldSearch} title="No validation attempts found" />;
  return (
    <>
      <div className={classes.tools}>
        <ColumnChoice columns={SORTABLE_COLUMNS} settings={settings} />
      </div>
      <DataTable
        label="Validation attempts"
        rows={attempts}
        columns={SORTABLE_COLUMNS}
        settings={settings}
        nameOf={nameOf}
        linkOf={secretPath}
        isStale={isStale}
        {...nextPageOf(list)}
      />
    </>
  );
}
