// Deciding the same on several memberships of a review: how many are chosen, and what can be done with them.
import { Button } from "@mantine/core";
import { IconCheck, IconTrash } from "@tabler/icons-react";
import type { ReviewItem } from "@strongroom/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { counted } from "#shared/format/text.ts";
import { toast } from "#shared/ui/toast.ts";
import { severalDecisions, type SeveralDecided } from "./access-control.queries.ts";
import { RemoveSeveralDialog } from "./remove-item-dialog.tsx";
import classes from "./access-control.module.css";

export interface SeveralItemsBarProps {
  reviewId: string;
  /** On these somebody can decide. */
  items: readonly ReviewItem[];
  chosen: ReadonlySet<string>;
  onChoose: (ids: readonly string[]) => void;
}

/** As many as one call takes. */
const MOST_CHOSEN = 200;
const ICON = 16;

export function SeveralItemsBar({ reviewId, items, chosen, onChoose }: SeveralItemsBarProps) {
  const { mutate, isPending } = useMutation(severalDecisions(useQueryClient(), reviewId));
  const [isAsking, setIsAsking] = useState(false);
  const ids = items.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const done = (reply: SeveralDecided) => {
    tell(reply);
    onChoose([]);
  };
  const confirm = () =>
    mutate(
      { item_ids: ids, decision: "confirmed" },
      { onSuccess: done, onError: (error) => toast.error(messageOf(error), { title: "Failed to confirm" }) },
    );
  return (
    <div className={classes.several} role="region" aria-label="Chosen memberships">
      <p className={classes.chosen} role="status">
        {counted(ids.length, "membership")} chosen
      </p>
      <Button
        variant="subtle"
        size="compact-md"
        onClick={() => onChoose(ids.length === 0 ? items.slice(0, MOST_CHOSEN).map(({ id }) => id) : [])}
      >
        {ids.length === 0 ? "Choose all" : "Choose none"}
      </Button>
      <Button
        size="compact-md"
        variant="light"
        color="green"
        leftSection={<IconCheck size={ICON} aria-hidden />}
        disabled={ids.length === 0}
        loading={isPending}
        onClick={confirm}
      >
        Confirm chosen
      </Button>
      <Button
        size="compact-md"
        variant="light"
        color="red"
        leftSection={<IconTrash size={ICON} aria-hidden />}
        disabled={ids.length === 0 || isPending}
        onClick={() => setIsAsking(true)}
      >
        Remove chosen
      </Button>
      <RemoveSeveralDialog
        key={String(isAsking)}
        reviewId={reviewId}
        ids={ids}
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        onDone={done}
      />
    </div>
  );
}

/** What could not be decided stays in the list; why is said of the first of them. */
function tell({ failed: [first], message }: SeveralDecided): void {
  if (first === undefined) toast.success(message);
  else toast.error(`${message}. ${first.message}`);
}
