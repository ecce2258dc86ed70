// A verification run that was started here: how far it is, how it goes, and the way to stop it.
import { Button } from "@mantine/core";
import type { RunId, VerificationRun } from "@strongroom/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { toast } from "#shared/ui/toast.ts";
import { cancelling, verificationRun } from "./cpm.queries.ts";
import classes from "./cpm-dashboard-page.module.css";

const TITLES: Record<VerificationRun["status"], string> = {
  running: "Verification under way",
  completed: "Verification completed",
  cancelled: "Verification stopped",
};

export function RunCard({ id }: { id: RunId }) {
  const client = useQueryClient();
  const { data: run } = useQuery(verificationRun(id));
  const { mutate, isPending } = useMutation(cancelling(client, id));
  if (run === undefined) return null;
  const stop = () =>
    mutate(undefined, { onError: (error) => toast.error(`Failed to stop the run: ${messageOf(error)}`) });
  return (
    <section className={classes.run} aria-label={TITLES[run.status]}>
      <div className={classes.runText} role="status">
        <p className={classes.runTitle}>{TITLES[run.status]}</p>
        <p className={classes.runFigures}>
          {run.done.toLocaleString()} of {run.total.toLocaleString()} done · {run.verified.toLocaleString()} verified ·{" "}
          {run.failed.toLocaleString()} failed
        </p>
      </div>
      {run.status === "running" && (
        <Button variant="default" size="compact-sm" onClick={stop} loading={isPending}>
          Stop
        </Button>
      )}
      <progress className={classes.runBar} max={Math.max(1, run.total)} value={run.done} aria-label="Verified so far" />
    </section>
  );
}
