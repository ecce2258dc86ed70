// Asks before anything is done with a user, does it and says so.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";
import { userAction } from "./admin.queries.ts";
import { wordsOf, type UserAction } from "./user-actions.ts";

/** `ask` opens the dialog for an action; `dialog` belongs into the page. */
export function useUserAction() {
  const [action, setAction] = useState<UserAction | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  return {
    ask: (next: UserAction) => {
      setAction(next);
      setIsOpen(true);
    },
    dialog: action !== null && <UserActionDialog action={action} opened={isOpen} onClose={() => setIsOpen(false)} />,
  };
}

function UserActionDialog({ action, opened, onClose }: { action: UserAction; opened: boolean; onClose: () => void }) {
  const { mutate, isPending } = useMutation(userAction(useQueryClient()));
  const words = wordsOf(action);
  const confirm = () =>
    mutate(action, {
      onSuccess: () => toast.success(words.done),
      onError: (error) => toast.error(messageOf(error)),
      onSettled: onClose,
    });
  return (
    <ConfirmDialog
      opened={opened}
      title={words.title}
      variant={words.variant}
      confirmLabel={words.confirmLabel}
      isBusy={isPending}
      onConfirm={confirm}
      onCancel={onClose}
    >
      {words.sentence}
    </ConfirmDialog>
  );
}
