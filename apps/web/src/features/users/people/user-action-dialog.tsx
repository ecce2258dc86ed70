// Confirms an action on a user, runs it and reports the result.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ChangePreview } from "#shared/access-preview/change-preview.tsx";
import { messageOf } from "#shared/api/call-error.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { userAction } from "../users.queries.ts";
import { accessChangeOf, wordsOf, type UserAction } from "./user-actions.ts";

/** `ask` opens the dialog for an action; the page renders `dialog`. */
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
  const { title, variant, confirmLabel, sentence, done } = wordsOf(action);
  const change = accessChangeOf(action);
  return (
    <ConfirmActionDialog
      opened={opened}
      title={title}
      variant={variant}
      confirmLabel={confirmLabel}
      mutation={userAction(useQueryClient(), action)}
      done={done}
      failed={messageOf}
      onClose={onClose}
    >
      <p>{sentence}</p>
      {change !== null && <ChangePreview change={change} />}
    </ConfirmActionDialog>
  );
}
