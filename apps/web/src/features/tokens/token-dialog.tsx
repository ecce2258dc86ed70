// "Create token": the form, then the new token, shown once.
import { useQueryClient } from "@tanstack/react-query";
import type { TokenList } from "@strongroom/contract";
import { useState } from "react";
import { Modal } from "#shared/ui/modal.tsx";
import { CreatedTokenNote, type CreatedToken } from "./created-token-note.tsx";
import { tokenOf } from "./token-form-values.ts";
import { TokenForm } from "./token-form.tsx";
import { tokenCreation, refreshTokens, type Holder } from "./tokens.queries.ts";

export interface TokenDialogProps {
  holder: Holder;
  /** The user the token acts as; undefined for the caller's own token. */
  holderName?: string;
  choices: TokenList["choices"];
  opened: boolean;
  onClose: () => void;
}

export function TokenDialog({ holder, holderName, choices, opened, onClose }: TokenDialogProps) {
  const client = useQueryClient();
  const [made, setMade] = useState<CreatedToken | null>(null);
  const done = () => {
    setMade(null);
    onClose();
  };
  const title = holderName === undefined ? "Create token" : `Create token for ${holderName}`;
  return (
    // After creation only the dialog's own button closes it, so that the token is not lost by accident.
    <Modal
      opened={opened}
      onClose={done}
      title={made === null ? title : "Your new token"}
      size="lg"
      isInsistent={made !== null}
    >
      {made === null ? (
        <TokenForm
          choices={choices}
          onCancel={onClose}
          onSubmit={async (values) => {
            setMade(await tokenCreation(holder, tokenOf(values)));
            await refreshTokens(client);
          }}
        />
      ) : (
        <CreatedTokenNote made={made} onDone={done} />
      )}
    </Modal>
  );
}
