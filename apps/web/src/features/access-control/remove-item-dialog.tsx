// Asks why a membership is removed in a review. It ends at once.
import { Textarea } from "@mantine/core";
import type { ReviewItem } from "@strongroom/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { DialogForm } from "#shared/ui/dialog-form.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { decision } from "./access-control.queries.ts";

export interface RemoveItemDialogProps {
  reviewId: string;
  item: ReviewItem;
  opened: boolean;
  onClose: () => void;
}

export function RemoveItemDialog({ reviewId, item, opened, onClose }: RemoveItemDialogProps) {
  const { mutateAsync: decide } = useMutation(decision(useQueryClient(), reviewId));
  return (
    <Modal opened={opened} onClose={onClose} title="Remove Membership">
      <DialogForm
        initial={{ reason: "" }}
        check={({ reason }) => (reason.trim() === "" ? { reason: "Say why it is removed" } : {})}
        submitLabel="Remove"
        failureText="Failed to remove"
        onCancel={onClose}
        onSubmit={async ({ reason }) => {
          await decide({ item, body: { decision: "removed", reason: reason.trim() } });
          toast.success(`${item.name} is no longer a member of "${item.safe_name}"`);
          onClose();
        }}
      >
        {(form) => (
          <>
            <p>
              What <strong>{item.name}</strong> can do in <strong>{item.safe_name}</strong> through this membership ends
              at once, and so does what was lent to them there.
            </p>
            <Textarea
              label="Reason"
              required

              rows={3}
              maxLength={500}
              data-autofocus
              {...form.getInputProps("reason")}
            />
          </>
        )}
      </DialogForm>
    </Modal>
  );
}
