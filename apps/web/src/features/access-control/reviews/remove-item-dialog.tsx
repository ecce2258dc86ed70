// Asks for the reason before a review removes memberships; the removal takes effect immediately.
import type { ReviewItem } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { toast } from "#shared/ui/toast.ts";
import { decision, bulkDecision, type BulkDecisionResult } from "../access-control.queries.ts";

interface RemovalProps extends DialogProps {
  title: string;
  /** Rejects when the server refuses the removal. */
  onRemove: (reason: string) => Promise<void>;
  /** The memberships to be removed. */
  children: ReactNode;
}

function Removal({ onRemove, children, ...props }: RemovalProps) {
  return (
    <FormDialog
      {...props}
      initial={{ reason: "" }}
      submitLabel="Remove"
      failureText="Failed to remove"
      save={({ reason }) => onRemove(reason.trim())}
      done={null}
    >
      {(given) => (
        <Form
          {...given}
          check={({ reason }) => (reason.trim() === "" ? { reason: "Give a reason for the removal" } : {})}
        >
          {(form) => (
            <>
              <p>{children}</p>
              <ReasonField required rows={3} {...form.getInputProps("reason")} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}

export interface RemoveItemDialogProps {
  reviewId: string;
  item: ReviewItem;
  opened: boolean;
  onClose: () => void;
}

export function RemoveItemDialog({ reviewId, item, opened, onClose }: RemoveItemDialogProps) {
  const { mutateAsync: decide } = useMutation(decision(useQueryClient(), reviewId));
  const remove = async (reason: string) => {
    await decide({ item, body: { decision: "removed", reason } });
    toast.success(`${item.name} is no longer a member of "${item.safe_name}"`);
  };
  return (
    <Removal title="Remove Membership" opened={opened} onClose={onClose} onRemove={remove}>
      This removes <strong>{item.name}</strong> from <strong>{item.safe_name}</strong>. Permissions and active access
      from this membership end immediately.
    </Removal>
  );
}

export interface RemoveSeveralDialogProps {
  reviewId: string;
  ids: readonly string[];
  opened: boolean;
  onClose: () => void;
  onDone: (reply: BulkDecisionResult) => void;
}

export function RemoveSeveralDialog({ reviewId, ids, opened, onClose, onDone }: RemoveSeveralDialogProps) {
  const { mutateAsync: decide } = useMutation(bulkDecision(useQueryClient(), reviewId));
  const remove = async (reason: string) => onDone(await decide({ item_ids: [...ids], decision: "removed", reason }));
  return (
    <Removal title="Remove Memberships" opened={opened} onClose={onClose} onRemove={remove}>
      This removes {counted(ids.length, "membership")}. The permissions and active access from{" "}
      {ids.length === 1 ? "it" : "them"} end immediately.
    </Removal>
  );
}
