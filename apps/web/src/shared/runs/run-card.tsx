// The progress, results and stop button of a run started from this page.
import { Button, CloseButton } from "@mantine/core";
import type { UseMutationOptions } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import classes from "./run-card.module.css";

interface RunView {
  status: "running" | "completed" | "cancelled";
  total: number;
  done: number;
  failed: number;
}

export interface RunCardProps<R> {
  /** "Verification", "Rotation". */
  subject: string;
  run: RunView;
  /** The number of successes and their label. */
  succeeded: { count: number; word: string };
  stopping: UseMutationOptions<R, Error, void>;
  /** Hides the card after the run has ended. */
  onDismiss?: (() => void) | undefined;
}

const ENDS: Record<RunView["status"], string> = { running: "under way", completed: "completed", cancelled: "stopped" };

export function RunCard<R>({ subject, run, succeeded, stopping, onDismiss }: RunCardProps<R>) {
  const { mutate, isPending } = useMutation(stopping);
  const title = `${subject} ${ENDS[run.status]}`;
  const stop = () =>
    mutate(undefined, { onError: (error) => toast.error(`Failed to stop the run: ${messageOf(error)}`) });
  return (
    <section className={classes.run} aria-label={title}>
      <div className={classes.text} role="status">
        <p className={classes.title}>{title}</p>
        <p className={classes.figures}>
          {run.done.toLocaleString()} of {run.total.toLocaleString()} done · {succeeded.count.toLocaleString()}{" "}
          {succeeded.word} · {run.failed.toLocaleString()} failed
        </p>
      </div>
      {run.status === "running" ? (
        <Button variant="default" size="compact-sm" onClick={stop} loading={isPending}>
          Stop
        </Button>
      ) : (
        onDismiss !== undefined && <CloseButton aria-label="Dismiss" onClick={onDismiss} />
      )}
      <progress
        className={classes.bar}
        max={Math.max(1, run.total)}
        value={run.done}
        aria-label={`${subject} progress`}
      />
    </section>
  );
}
