// The generic audit trail list (SHELL-29 to SHELL-35): action, result, user, time and all details.
import { Collapse } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useId, useState, type ReactNode } from "react";
import type { AuditResult, AuditStatus } from "@strongroom/contract";
import { asWords } from "#shared/format/text.ts";
import { absoluteTime, responseTime } from "#shared/format/time.ts";
import classes from "./audit-trail-list.module.css";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { AbsoluteTime, RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { ResultBadge, SeverityBadge, StatusBadge, type Severity } from "#shared/ui/status-badge.tsx";

/** The fields the list needs; the contract's `AuditLogEntry` has all of them. */
export interface AuditTrailEntry {
  id: string;
  action: string;
  result: AuditResult;
  /** Text, or an object whose parts are shown separately. */
  summary: string | Record<string, unknown>;
  metadata?: Record<string, unknown> | undefined;
  user: { name: string; id?: string | null };
  timestamp: string;
  /** Only in the audit trail's own lists. */
  details?: { severity: Severity };
  status?: AuditStatus;
  /** The entry of the start, folded into the entry of a verification's result. */
  started?: AuditTrailEntry | null | undefined;
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const summaryText = (summary: AuditTrailEntry["summary"]): string =>
  typeof summary === "string"
    ? summary
    : Object.entries(summary)
        .map(([key, value]) => `${asWords(key)}: ${valueText(value)}`)
        .join(" · ");

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Formats durations and times as elsewhere in the app. */
function detailText(name: string, value: unknown): string {
  if ((name === "duration" || name === "duration_ms") && typeof value === "number") return responseTime(value);
  return typeof value === "string" && MOMENT.test(value) ? absoluteTime(value) : valueText(value);
}

function reasonOf(metadata: AuditTrailEntry["metadata"]): string | null {
  const reason = metadata?.["reason"];
  return typeof reason === "string" && reason !== "" ? reason : null;
}

/** Only high and critical entries get a severity badge; an ordinary failure already shows its result. */
const isGrave = (entry: AuditTrailEntry): entry is AuditTrailEntry & { details: { severity: Severity } } =>
  entry.details?.severity === "critical" || entry.details?.severity === "high";

/**
 * AUDIT-15 in the trail's own lists: an entry with neither success nor failure is pending, and a warning also shows
 * its badge.
 */
function Outcome({ entry: { result, status } }: { entry: AuditTrailEntry }) {
  if (status !== "pending") return <ResultBadge result={result} />;
  return (
    <>
      <StatusBadge status="pending" />
      {result === "warning" && <ResultBadge result="warning" />}
    </>
  );
}

interface DetailsProps {
  metadata: Record<string, unknown>;
  started: AuditTrailEntry | null;
  id: string;
  isOpen: boolean;
}

function Details({ metadata, started, id, isOpen }: DetailsProps) {
  return (
    <Collapse expanded={isOpen} id={id} className={classes.more}>
      <dl className={classes.details}>
        {started !== null && (
          <div className={classes.detail}>
            <dt>{started.action}</dt>
            <dd>
              {absoluteTime(started.timestamp)} · {started.user.name}
            </dd>
          </div>
        )}
        {Object.entries(metadata).map(([key, value]) => (
          <div key={key} className={classes.detail}>
            <dt>{asWords(key === "duration_ms" ? "duration" : key)}</dt>
            <dd>{detailText(key, value)}</dd>
          </div>
        ))}
      </dl>
    </Collapse>
  );
}

interface EntryProps {
  entry: AuditTrailEntry;
  actions: ReactNode;
  isRow: boolean;
  onPerson: ((id: string) => void) | undefined;
}

function Entry({ entry, actions, isRow, onPerson }: EntryProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const reason = reasonOf(entry.metadata);
  const metadata = entry.metadata ?? {};
  const started = entry.started ?? null;
  const hasDetails = Object.keys(metadata).length > 0 || started !== null;
  const person = (
    <span className={classes.by}>
      <Person user={entry.user} onPerson={onPerson} />
    </span>
  );
  return (
    <li className={classes.entry} data-row={isRow}>
      <span className={classes.time}>
        {isRow ? <AbsoluteTime moment={entry.timestamp} /> : <RelativeTime moment={entry.timestamp} />}
      </span>
      <div className={classes.first}>
        <span className={classes.action}>{entry.action}</span>
        <Outcome entry={entry} />
        {isGrave(entry) && <SeverityBadge severity={entry.details.severity} />}
      </div>
      <div className={classes.about}>
        <p className={classes.summary}>{summaryText(entry.summary)}</p>
        {reason !== null && (
          <p className={classes.summary}>
            <strong>Reason</strong>: {reason}
          </p>
        )}
      </div>
      {isRow && person}
      <div className={classes.last}>
        {!isRow && person}
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
      {hasDetails && <Details metadata={metadata} started={started} id={id} isOpen={isOpen} />}
    </li>
  );
}

/** A person's name; in a list that can be filtered, a button that shows only their entries. */
function Person({ user, onPerson }: { user: AuditTrailEntry["user"]; onPerson: EntryProps["onPerson"] }) {
  const { id, name } = user;
  if (onPerson === undefined || typeof id !== "string") return name;
  return (
    <button
      type="button"
      className={classes.person}
      title={`Show only entries of ${name}`}
      onClick={() => onPerson(id)}
    >
      {name}
    </button>
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
  /** `rows` has a column for the absolute time and one for the person, where the width allows. */
  layout?: "feed" | "rows";
  /** Filters the list by a person. */
  onPerson?: (id: string) => void;
}

export function AuditTrailList<E extends AuditTrailEntry>({
  entries,
  title = "Audit Trail",
  emptyText = "No audit logs found",
  actions,
  footer,
  entryActions,
  layout = "feed",
  onPerson,
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
            <Entry
              key={entry.id}
              entry={entry}
              actions={entryActions?.(entry)}
              isRow={layout === "rows"}
              onPerson={onPerson}
            />
          ))}
        </ol>
      )}
      {footer}
    </section>
  );
}
