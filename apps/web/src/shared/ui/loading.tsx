// Loading indicators with their default texts (SHELL-40): for a page, a section, and an action in progress.
import { Loader } from "@mantine/core";
import classes from "./loading.module.css";
import { VaultMark } from "./vault-mark.tsx";

interface LoadingProps {
  text?: string;
}

/** For a page that is loading. */
export function PageLoading({ text = "Securing Vault..." }: LoadingProps) {
  return (
    <div className={classes.page} role="status" aria-live="polite" data-loading>
      <VaultMark size={44} isBusy />
      <p className={classes.text}>{text}</p>
    </div>
  );
}

/** For a section that is loading. */
export function SectionLoading({ text = "Loading..." }: LoadingProps) {
  return (
    <div className={classes.section} role="status" aria-live="polite" data-loading>
      <Loader size="sm" aria-hidden />
      <p className={classes.text}>{text}</p>
    </div>
  );
}

/** Covers its positioned parent (or, with `isWhole`, the window) while an action runs. */
export function BusyOverlay({ text = "Processing...", isWhole = false }: LoadingProps & { isWhole?: boolean }) {
  return (
    <div className={isWhole ? classes.wholeOverlay : classes.overlay} role="status" aria-live="assertive">
      <Loader size="sm" aria-hidden />
      <p className={classes.text}>{text}</p>
    </div>
  );
}
