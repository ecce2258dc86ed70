// A quiet banner above the content for failed loads and exports (VAL-63, OPEN-140).
import { Button, CloseButton } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";
import { messageOf } from "#shared/api/call-error.ts";
import { toneStyle } from "#shared/ui/tone.ts";
import classes from "./quiet-banner.module.css";

export interface QuietBannerProps {
  text: string;
  error: unknown;
  onRetry?: () => void;
  isRetrying?: boolean;
  onDismiss?: () => void;
}

export function QuietBanner({ text, error, onRetry, isRetrying = false, onDismiss }: QuietBannerProps) {
  return (
    <div className={classes.banner} style={toneStyle("warning")} role="status">
      <IconCloudOff size={17} aria-hidden />
      <p className={classes.text}>
        {text} {messageOf(error)}
      </p>
      {onRetry !== undefined && (
        <Button variant="default" size="compact-sm" onClick={onRetry} loading={isRetrying}>
          Retry
        </Button>
      )}
      {onDismiss !== undefined && <CloseButton aria-label="Dismiss" onClick={onDismiss} />}
    </div>
  );
}
