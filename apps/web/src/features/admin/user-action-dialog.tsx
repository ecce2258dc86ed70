// Asks before anything is done with a user, does it and says so.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { WhatWouldChange } from "#shared/access-preview/what-would-change.tsx";
import { messageOf } from "#shared/api/call-error.ts";
import { AskingDialog } from "#shared/ui/asking-dialog.tsx";
import { userAction } from "./admin.queries.ts";
import { accessChangeOf, wordsOf, type UserAction } from "./user-actions.ts";

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
  const { title, variant, confirmLabel, sentence, done } = wordsOf(action);
  const change = accessChangeOf(action);
  return (
    <AskingDialog
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
      {change !== null && <WhatWouldChange change={change} />}
    </AskingDialog>
  );
}
