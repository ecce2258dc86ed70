// Confirms an action, runs it and reports the result; `DeleteDialog` is the variant for deleting.
import type { UseMutationOptions } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { ConfirmDialog, type ConfirmDialogProps } from "./confirm-dialog.tsx";
import { toast } from "./toast.ts";

export interface AskingDialogProps<Done> extends Omit<ConfirmDialogProps, "isBusy" | "onConfirm" | "onCancel"> {
  mutation: UseMutationOptions<Done, Error, void>;
  /** The success toast; null when the caller shows its own. */
  done: string | ((done: Done) => string) | null;
  /** The title of the error toast, above the reason; a function returns the whole text. */
  failed: string | ((error: Error) => string);
  /** Also called after the dialog's screen unmounted: then `isHere` is false, and the caller must not navigate. */
  onDone?: (done: Done, isHere: boolean) => void;
  onClose: () => void;
}

/** Closes on success. Stays open when the server refuses, because a retry may succeed. */
export function ConfirmActionDialog<Done>({
  mutation,
  done,
  failed,
  onDone,
  onClose,
  ...asked
}: AskingDialogProps<Done>) {
  const { mutate, isPending } = useMutation(mutation);
  const showDone = (answer: Done, isHere: boolean): void => {
    const text = typeof done === "function" ? done(answer) : done;
    if (text !== null) toast.success(text);
    if (isHere) onClose();
    onDone?.(answer, isHere);
  };
  const showFailure = (error: Error): void => {
    if (typeof failed === "function") toast.error(failed(error));
    else toast.error(messageOf(error), { title: failed });
  };
  const confirm = (): void => mutate(undefined, { onSuccess: showDone, onError: showFailure });
  return <ConfirmDialog {...asked} isBusy={isPending} onConfirm={confirm} onCancel={onClose} />;
}

export type DeleteDialogProps<Done> = Omit<AskingDialogProps<Done>, "variant">;

/** Takes a different label for actions that remove or revoke. */
export function DeleteDialog<Done>({ confirmLabel = "Delete", ...asked }: DeleteDialogProps<Done>) {
  return <ConfirmActionDialog variant="danger" confirmLabel={confirmLabel} {...asked} />;
}
