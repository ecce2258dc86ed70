// Asks before something is done, does it, and says how it went.
import { useMutation, type UseMutationOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { ConfirmDialog, type ConfirmVariant } from "#shared/ui/confirm-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";

export interface AskingProps<Given, Done> {
  opened: boolean;
  title: string;
  confirmLabel: string;
  variant: ConfirmVariant;
  mutation: UseMutationOptions<Done, Error, Given>;
  given: Given;
  done: string;
  onClose: () => void;
  children: ReactNode;
}

export function Asking<Given, Done>(props: AskingProps<Given, Done>) {
  const { mutation, given, done, onClose, children, ...dialog } = props;
  const { mutate, isPending } = useMutation(mutation);
  const confirm = () =>
    mutate(given, {
      onSuccess: () => toast.success(done),
      onError: (error) => toast.error(messageOf(error)),
      onSettled: onClose,
    });
  return (
    <ConfirmDialog {...dialog} isBusy={isPending} onConfirm={confirm} onCancel={onClose}>
      {children}
    </ConfirmDialog>
  );
}
