// Deciding the same on several memberships of a review: how many are chosen, and what can be done with them.
import { Button } from "@mantine/core";
import { IconCheck, IconTrash } from "@tabler/icons-react";
import type { ReviewItem } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { toast } from "#shared/ui/toast.ts";
import { severalDecisions, type SeveralDecided } from "./access-control.queries.ts";
import classes from "./access-control.module.css";

export interface SeveralItemsBarProps {
  reviewId: string;
  /** On these somebody can decide. */
  items: readonly ReviewItem[];
  chosen: ReadonlySet<string>;
  onChoose: (ids: readonly string[]) => void;
  /** Asks why; what is chosen later is not among them. */
  onRemove: (ids: readonly string[]) => void;
}

/** As many as one call takes. */
const MOST_CHOSEN = 200;
const ICON = 16;

export function SeveralItemsBar({ reviewId, items, chosen, onChoose, onRemove }: SeveralItemsBarProps) {
  const { mutate, isPending } = useMutation(severalDecisions(useQueryClient(), reviewId));
  const ids = items.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const isTooMany = ids.length > MOST_CHOSEN;
  const done = (reply: SeveralDecided) => {
    tellSeveral(reply);
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
        {isTooMany && `. At most ${MOST_CHOSEN} can be decided on at once`}
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
        disabled={ids.length === 0 || isTooMany}
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
        disabled={ids.length === 0 || isTooMany || isPending}
        onClick={() => onRemove(ids)}
      >
        Remove chosen
      </Button>
    </div>
  );
}

/** What could not be decided stays in the list; why is said of the first of them. */
export function tellSeveral({ failed: [first], message }: SeveralDecided): void {
  if (first === undefined) toast.success(message);
  else toast.error(`${message}. ${first.message}`);
}
