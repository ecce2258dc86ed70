// "Rotation History": every rotation of the password, successful or not, each with its journal.
import { Collapse } from "@mantine/core";
import type { Rotation } from "@strongroom/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { RotationStateBadge } from "./rotation-badge.tsx";
import { reasonOf, isOpen, STEP_LABELS } from "./rotation-labels.ts";
import { rotations, type Rotated, rotationDetail } from "./rotation.queries.ts";
import { absoluteTime, clockTime } from "#shared/format/time.ts";
import classes from "./rotation.module.css";

export function RotationHistory({ of }: { of: Rotated }) {
  const list = useInfiniteQuery(rotations(of));
  return (
    <SectionCard title="Rotation History" description="Every password change on the target system, step by step.">
      <Loaded query={list} failureText="Failed to load rotations">
        {({ pages }) => {
          const all = pages.flatMap((page) => page.rotations);
          if (all.length === 0) return <p className={classes.none}>No rotations yet.</p>;
          return (
            <>
              <ol className={classes.history} aria-label="Rotations" reversed>
                {all.map((rotation) => (
                  <Entry key={rotation.id} rotation={rotation} />
                ))}
              </ol>
              <LoadMore of={list} />
            </>
          );
        }}
      </Loaded>
    </SectionCard>
  );
}

/** An open rotation shows its journal from the start. */
function Entry({ rotation }: { rotation: Rotation }) {
  const [isShown, setIsShown] = useState(isOpen(rotation.state));
  const id = useId();
  return (
    <li className={classes.entry}>
      <div className={classes.entryHead}>
        <RotationStateBadge state={rotation.state} />
        <span>
          {reasonOf(rotation)}
          {rotation.by === "reconcile-account" && ", with the reconcile account"}
        </span>
        <span className={classes.entryTime}>
          <RelativeTime moment={rotation.started_at} />
        </span>
      </div>
      <p className={classes.entryMessage}>{rotation.message}</p>
      <DisclosureButton label="Journal" isOpen={isShown} onChange={setIsShown} controls={id} />
      <Collapse expanded={isShown} id={id}>
        {isShown && <RotationJournal id={rotation.id} />}
      </Collapse>
    </li>
  );
}

function RotationJournal({ id }: { id: string }) {
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
