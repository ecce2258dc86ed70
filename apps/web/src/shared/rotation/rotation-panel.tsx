// "Rotation": the state and progress of the current rotation, and what to do when it is waiting for a person.
import { Button, VisuallyHidden } from "@mantine/core";
import { IconPlayerStop } from "@tabler/icons-react";
import type { Rotation } from "@strongroom/contract";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useNow } from "#shared/format/now.ts";
import { nearTime } from "#shared/format/time.ts";
import { Facts, type Fact } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { RotationAttention, type Remedies } from "./rotation-attention.tsx";
import { RotationStateBadge } from "./rotation-badge.tsx";
import { reasonOf, isOpen, mayBeCancelled, progressSteps } from "./rotation-labels.ts";
import { cancelling, rotations, type Rotated } from "./rotation.queries.ts";
import { useEffect } from "react";
import { onLiveEvent } from "#shared/events/live-events.ts";
import classes from "./rotation.module.css";

export interface RotationPanelProps {
  of: Rotated;
  /** Whether the user can start and cancel rotations. */
  mayRotate: boolean;
  /** The page's actions besides retrying; each opens its dialog. */
  remedies: Remedies;
  /** Why the password cannot be rotated at all. */
  obstacle?: string | null;
}

export function RotationPanel({ of, mayRotate, remedies, obstacle = null }: RotationPanelProps) {
  const list = useInfiniteQuery(rotations(of));
  useLiveRotations(of);
  const newest = list.data?.pages[0]?.rotations[0];
  return (
    <SectionCard
      title="Rotation"
      actions={newest !== undefined && isOpen(newest.state) && <RotationStateBadge state={newest.state} />}
    >
      <Loaded query={list} failureText="Failed to load rotations">
        {() => (
          <>
            {newest === undefined ? (
              <Facts facts={[{ name: "Last rotation", value: "Never" }]} />
            ) : isOpen(newest.state) ? (
              <Open of={of} rotation={newest} mayRotate={mayRotate} remedies={remedies} />
            ) : (
              <Facts facts={[lastOf(newest)]} />
            )}
            {obstacle !== null && <p className={classes.pace}>{obstacle}</p>}
          </>
        )}
      </Loaded>
    </SectionCard>
  );
}

const lastOf = ({ state, ended_at: endedAt }: Rotation): Fact => ({
  name: "Last rotation",
  value: (
    <span className={classes.last}>
      <RotationStateBadge state={state} /> <RelativeTime moment={endedAt} />
    </span>
  ),
});

interface OpenProps {
  of: Rotated;
  rotation: Rotation;
  mayRotate: boolean;
  remedies: Remedies;
}

function Open({ of, rotation, mayRotate, remedies }: OpenProps) {
  if (rotation.state === "attention") {
    return <RotationAttention of={of} rotation={rotation} mayRotate={mayRotate} remedies={remedies} />;
  }
  return (
    <>
      <Way rotation={rotation} />
      <p className={classes.message} role="status">
        {rotation.message}
      </p>
      <Pace rotation={rotation} />
      {mayRotate && mayBeCancelled(rotation) && <Cancel of={of} rotation={rotation} />}
    </>
  );
}

/** The steps, with the current one highlighted. */
function Way({ rotation }: { rotation: Rotation }) {
  return (
    <ol className={classes.way} aria-label="Progress">
      {progressSteps(rotation.step).map(({ label, state }) => (
        <li
          key={label}
          className={classes.wayStep}
          data-state={state}
          data-is-waiting={rotation.state === "waiting"}
          aria-current={state === "current" ? "step" : undefined}
        >
          <span className={classes.dot} aria-hidden />
          {label}
          {state === "done" && <VisuallyHidden component="span">, done</VisuallyHidden>}
        </li>
      ))}
    </ol>
  );
}

function Pace({ rotation }: { rotation: Rotation }) {
  const now = useNow();
  const next = rotation.next_at;
  return (
    <p className={classes.pace}>
      {reasonOf(rotation)}, <RelativeTime moment={rotation.started_at} />.
      {rotation.tries > 1 && ` Attempt ${rotation.tries}.`}
      {rotation.state === "waiting" && next !== null && ` Continues automatically at ${nearTime(next, now)}.`}
    </p>
  );
}

function Cancel({ of, rotation }: { of: Rotated; rotation: Rotation }) {
  const { mutate, isPending } = useMutation(cancelling(useQueryClient(), of, rotation));
  const cancel = () =>
    mutate(undefined, {
      onSuccess: () => toast.success(`Rotation of "${of.name}" cancelled`),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to cancel the rotation" }),
    });
  return (
    <Button
      variant="default"
      fullWidth
      mt="sm"
      leftSection={<IconPlayerStop size={16} aria-hidden />}
      onClick={cancel}
      loading={isPending}
    >
      Cancel Rotation
    </Button>
  );
}

function useLiveRotations({ kind, id, name }: Rotated): void {
  const client = useQueryClient();
  useEffect(
    () =>
      onLiveEvent((event) => {
        if (event.type !== "rotation.changed" || event.data.secret_id !== id) return;
        void client.invalidateQueries({ queryKey: rotations({ kind, id, name }).queryKey });
      }),
    [client, kind, id, name],
  );
}
