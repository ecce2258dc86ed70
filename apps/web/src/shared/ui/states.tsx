// What a page shows instead of content: nothing there, could not load, sample figures.
import { Button } from "@mantine/core";
import { IconAlertTriangle, IconFlask, IconRefresh, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./states.module.css";
import { toneStyle } from "./tone.ts";

export interface EmptyStateProps {
  title: string;
  text?: ReactNode;
  icon?: Icon;
  /** The way out, such as the button that adds the first one. */
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
  onRetry?: () => void;
  isRetrying?: boolean;
  /** The way out when trying again does not help. */
  wayOut?: ReactNode;
  /** It stands in place of the page, so its message is the page's heading. */
  isPage?: boolean;
}

export function ErrorState({ message, onRetry, isRetrying = false, wayOut, isPage = false }: ErrorStateProps) {
  const Title = isPage ? "h1" : "p";
  return (
    <div className={classes.state} role="alert">
      <span className={classes.disc} style={toneStyle("danger")}>
        <IconAlertTriangle size={22} stroke={1.6} aria-hidden />
      </span>
      <Title className={classes.title}>{message}</Title>
      {onRetry && (
        <Button
          variant="default"
          size="sm"
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={onRetry}
          loading={isRetrying}
        >
          Retry
        </Button>
      )}
      {wayOut}
    </div>
  );
}

/** Above every figure that is a sample, and only when the call failed (decisions, rule 3). */
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
