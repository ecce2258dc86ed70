// The bar that confirms or removes the selected memberships of a review.
import { Button } from "@mantine/core";
import { IconCheck, IconTrash } from "@tabler/icons-react";
import type { ReviewItem } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { toast } from "#shared/ui/toast.ts";
import { bulkDecision, type BulkDecisionResult } from "../access-control.queries.ts";
import classes from "../access-control.module.css";

export interface SeveralItemsBarProps {
  reviewId: string;
  /** Items that the caller may decide on. */
  items: readonly ReviewItem[];
  chosen: ReadonlySet<string>;
  onChoose: (ids: readonly string[]) => void;
  /** Opens the dialog for these ids; later changes of the selection do not affect them. */
  onRemove: (ids: readonly string[]) => void;
}

/** The limit of one call. */
const MOST_CHOSEN = 200;
const ICON = 16;

export function ReviewBulkBar({ reviewId, items, chosen, onChoose, onRemove }: SeveralItemsBarProps) {
  const { mutate, isPending } = useMutation(bulkDecision(useQueryClient(), reviewId));
  const ids = items.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const isTooMany = ids.length > MOST_CHOSEN;
  const done = (reply: BulkDecisionResult) => {
    showBulkResult(reply);
    onChoose([]);
  };
  const confirm = () =>
    mutate(
      { item_ids: ids, decision: "confirmed" },
      { onSuccess: done, onError: (error) => toast.error(messageOf(error), { title: "Failed to confirm" }) },
    );
  return (
    <div className={classes.several} role="region" aria-label="Selected memberships">
      <p className={classes.chosen} role="status">
        {counted(ids.length, "membership")} selected
        {isTooMany && `. Select at most ${MOST_CHOSEN} at once`}
      </p>
      <Button
        variant="subtle"
        size="compact-md"
        onClick={() => onChoose(ids.length === 0 ? items.slice(0, MOST_CHOSEN).map(({ id }) => id) : [])}
      >
        {ids.length === 0 ? "Select All" : "Clear Selection"}
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
        Confirm Selected
      </Button>
      <Button
        size="compact-md"
        variant="light"
        color="red"
        leftSection={<IconTrash size={ICON} aria-hidden />}
        disabled={ids.length === 0 || isTooMany || isPending}
        onClick={() => onRemove(ids)}
      >
        Remove Selected
      </Button>
    </div>
  );
}

/** Shows the result of a bulk decision, with the reason for the first failure. Failed items stay in the list. */
export function showBulkResult({ failed: [first], message }: BulkDecisionResult): void {
  if (first === undefined) toast.success(message);
  else toast.error(`${message}. ${first.message}`);
}
