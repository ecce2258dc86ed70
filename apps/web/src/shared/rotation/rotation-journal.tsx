// The journal of one rotation as a timeline of its steps, before and after each ran.
import { useQuery } from "@tanstack/react-query";
import { absoluteTime, clockTime } from "#shared/format/time.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { STEP_LABELS } from "./rotation-labels.ts";
import { rotationDetail } from "./rotation.queries.ts";
import classes from "./rotation.module.css";

export function RotationJournal({ id }: { id: string }) {
  const detail = useQuery(rotationDetail(id));
  return (
    <Loaded query={detail} failureText="Failed to load the journal">
      {({ journal }) => (
        <ol className={classes.journal} aria-label="Journal">
          {journal.map(({ at, step, message }, line) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines are only ever added
            <li key={line} className={classes.line}>
              <span className={classes.dot} data-step={step} aria-hidden />
              <time className={classes.lineTime} dateTime={at} title={absoluteTime(at)}>
                {clockTime(at)}
              </time>
              <span className={classes.lineStep}>{STEP_LABELS[step]}</span>
              <span className={classes.lineMessage}>{message}</span>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}
