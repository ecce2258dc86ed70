// The generic audit trail list (SHELL-29 to SHELL-35): what was done, how it went, by whom and when, with all details.
import { Collapse } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useId, useState, type ReactNode } from "react";
import type { AuditResult } from "@strongroom/contract";
import { asWords } from "#shared/format/text.ts";
import classes from "./audit-trail-list.module.css";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { ResultBadge, SeverityBadge, type Severity } from "#shared/ui/status-badge.tsx";

/** What the list needs of an entry; `AuditLogEntry` of the contract has it all. */
export interface AuditTrailEntry {
  id: string;
  action: string;
  result: AuditResult;
  /** Text, or an object whose parts are shown one by one. */
  summary: string | Record<string, unknown>;
  metadata?: Record<string, unknown> | undefined;
  user: { name: string };
  timestamp: string;
  /** Of the trail's own lists only. */
  details?: { severity: Severity };
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const summaryText = (summary: AuditTrailEntry["summary"]): string =>
  typeof summary === "string"
    ? summary
    : Object.entries(summary)
        .map(([key, value]) => `${asWords(key)}: ${valueText(value)}`)
        .join(" · ");

function reasonOf(metadata: AuditTrailEntry["metadata"]): string | null {
  const reason = metadata?.["reason"];
  return typeof reason === "string" && reason !== "" ? reason : null;
}

/** Routine needs no badge, and an ordinary failure has said so already. */
const isGrave = (entry: AuditTrailEntry): entry is AuditTrailEntry & { details: { severity: Severity } } =>
  entry.details?.severity === "critical" || entry.details?.severity === "high";

function Details({ metadata, id, isOpen }: { metadata: Record<string, unknown>; id: string; isOpen: boolean }) {
  return (
    <Collapse expanded={isOpen} id={id}>
      <dl className={classes.details}>
        {Object.entries(metadata).map(([key, value]) => (
          <div key={key} className={classes.detail}>
            <dt>{asWords(key)}</dt>
            <dd>{valueText(value)}</dd>
          </div>
        ))}
      </dl>
    </Collapse>
  );
}

function Entry({ entry, actions }: { entry: AuditTrailEntry; actions: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const reason = reasonOf(entry.metadata);
  const metadata = entry.metadata ?? {};
  const hasDetails = Object.keys(metadata).length > 0;
  return (
    <li className={classes.entry}>
      <div className={classes.first}>
        <span className={classes.action}>{entry.action}</span>
        <ResultBadge result={entry.result} />
        {isGrave(entry) && <SeverityBadge severity={entry.details.severity} />}
        <span className={classes.time}>
          <RelativeTime moment={entry.timestamp} />
        </span>
      </div>
      <p className={classes.summary}>{summaryText(entry.summary)}</p>
      {reason !== null && (
        <p className={classes.summary}>
          <strong>Reason</strong>: {reason}
        </p>
      )}
      <div className={classes.last}>
        <span className={classes.by}>{entry.user.name}</span>
        {hasDetails && (
          <DisclosureButton
            label="View details"
            name={`View details of ${entry.action}`}
            isOpen={isOpen}
            onChange={setIsOpen}
            controls={id}
          />
        )}
        {actions}
      </div>
      {hasDetails && <Details metadata={metadata} id={id} isOpen={isOpen} />}
    </li>
  );
}

export interface AuditTrailListProps<E extends AuditTrailEntry> {
  entries: readonly E[];
  title?: string;
  emptyText?: string;
  /** Beside the title, such as Refresh. */
  actions?: ReactNode;
  /** Below the list, such as Load more. */
  footer?: ReactNode;
  /** At the end of an entry, such as a download of its proof. */
  entryActions?: (entry: E) => ReactNode;
}

export function AuditTrailList<E extends AuditTrailEntry>({
  entries,
  title = "Audit Trail",
  emptyText = "No audit logs found",
  actions,
  footer,
  entryActions,
}: AuditTrailListProps<E>) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId}>
      <div className={classes.head}>
        <h2 className={classes.title} id={titleId}>
          {title}
        </h2>
        {actions}
      </div>
      {entries.length === 0 ? (
        <EmptyState title={emptyText} icon={IconHistory} />
      ) : (
        <ol className={classes.list}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} actions={entryActions?.(entry)} />
          ))}
        </ol>
      )}
      {footer}
    </section>
  );
}
