// States that replace a page's content: empty, failed to load, and sample figures.
import { Button } from "@mantine/core";
import { IconAlertTriangle, IconFlask, IconRefresh, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./states.module.css";
import { toneStyle } from "./tone.ts";

export interface EmptyStateProps {
  title: string;
  text?: ReactNode;
  icon?: Icon;
  /** The next step, such as a button that adds the first item. */
  action?: ReactNode;
}

export function EmptyState({ title, text, icon: EmptyIcon, action }: EmptyStateProps) {
  return (
    <div className={classes.state}>
      {EmptyIcon && (
        <span className={classes.disc} style={toneStyle("neutral")}>
          <EmptyIcon size={22} stroke={1.6} aria-hidden />
        </span>
      )}
      <p className={classes.title}>{title}</p>
      {text !== undefined && <p className={classes.text}>{text}</p>}
      {action}
    </div>
  );
}

export interface ErrorStateProps {
  message: string;
  /** Below the message, such as the cause. */
  text?: string;
  onRetry?: () => void;
  retryLabel?: string;
  isRetrying?: boolean;
  /** An alternative when a retry does not help. */
  wayOut?: ReactNode;
  /** Replaces a whole page, so its message is the page's heading. */
  isPage?: boolean;
}

/** A response without its own message (ERR-01) tells users neither the cause nor the next step. */
const BARE_STATUS = /^\d{3} /;
const BARE_STATUS_ADVICE =
  "The server could not complete this request. Try again in a moment. If it keeps failing, ask an administrator to check the server's log.";

export function ErrorState({
  message,
  text,
  onRetry,
  retryLabel = "Retry",
  isRetrying = false,
  wayOut,
  isPage = false,
}: ErrorStateProps) {
  const Title = isPage ? "h1" : "p";
  return (
    <div className={classes.state} role="alert">
      <span className={classes.disc} style={toneStyle("danger")}>
        <IconAlertTriangle size={22} stroke={1.6} aria-hidden />
      </span>
      <Title className={classes.title}>{message}</Title>
      {text !== undefined && <p className={classes.text}>{text}</p>}
      {BARE_STATUS.test(message) && <p className={classes.text}>{BARE_STATUS_ADVICE}</p>}
      {onRetry && (
        <Button
          variant="default"
          size="sm"
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={onRetry}
          loading={isRetrying}
        >
          {retryLabel}
        </Button>
      )}
      {wayOut}
    </div>
  );
}

/** Shown above every sample figure, and only when the call failed (decisions, rule 3). */
export const SAMPLE_DATA = "Sample data: the server could not be reached";

export interface SampleDataNoticeProps {
  onRetry?: () => void;
  isRetrying?: boolean;
}

export function SampleDataNotice({ onRetry, isRetrying = false }: SampleDataNoticeProps) {
  return (
    <div className={classes.notice} style={toneStyle("warning")} role="status">
      <IconFlask size={18} aria-hidden />
      <span className={classes.noticeText}>{SAMPLE_DATA}</span>
      {onRetry && (
        <Button variant="default" size="compact-sm" onClick={onRetry} loading={isRetrying}>
          Retry
        </Button>
      )}
    </div>
  );
}
