// Asks before something is done, does it, and says how it went; deleting asks in one way everywhere.
import type { UseMutationOptions } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { ConfirmDialog, type ConfirmDialogProps } from "./confirm-dialog.tsx";
import { toast } from "./toast.ts";

export interface AskingDialogProps<Done> extends Omit<ConfirmDialogProps, "isBusy" | "onConfirm" | "onCancel"> {
  mutation: UseMutationOptions<Done, Error, void>;
  /** What is told when it is done; null where the caller tells. */
  done: string | ((done: Done) => string) | null;
  /** The title of the toast that gives the reason; a function makes the whole toast of it. */
  failed: string | ((error: Error) => string);
  /** Also when the dialog's screen is gone: `isHere` is false then, and nobody is to be led on. */
  onDone?: (done: Done, isHere: boolean) => void;
  onClose: () => void;
}

/** Closes when it is done. When it is refused it stays open: the reason may be one that passes. */
export function AskingDialog<Done>({ mutation, done, failed, onDone, onClose, ...asked }: AskingDialogProps<Done>) {
  const { mutate, isPending } = useMutation(mutation);
  const tellDone = (answer: Done, isHere: boolean): void => {
    const told = typeof done === "function" ? done(answer) : done;
    if (told !== null) toast.success(told);
    if (isHere) onClose();
    onDone?.(answer, isHere);
  };
  const tellFailure = (error: Error): void => {
    if (typeof failed === "function") toast.error(failed(error));
    else toast.error(messageOf(error), { title: failed });
  };
  const confirm = (): void => mutate(undefined, { onSuccess: tellDone, onError: tellFailure });
  return <ConfirmDialog {...asked} isBusy={isPending} onConfirm={confirm} onCancel={onClose} />;
}

export type DeleteDialogProps<Done> = Omit<AskingDialogProps<Done>, "variant">;

/** With a word of its own where what goes is not deleted but removed, revoked or forgotten. */
export function DeleteDialog<Done>({ confirmLabel = "Delete", ...asked }: DeleteDialogProps<Done>) {
  return <AskingDialog variant="danger" confirmLabel={confirmLabel} {...asked} />;
}
