// "Create token": the form, then the token itself, once.
import { useQueryClient } from "@tanstack/react-query";
import type { TokenList } from "@strongroom/contract";
import { useState } from "react";
import { Modal } from "#shared/ui/modal.tsx";
import { MadeTokenNote, type MadeToken } from "./made-token-note.tsx";
import { tokenOf } from "./token-form-values.ts";
import { TokenForm } from "./token-form.tsx";
import { makeToken, refreshTokens, type Holder } from "./tokens.queries.ts";

export interface TokenDialogProps {
  holder: Holder;
  /** Who the token acts as, where that is not oneself. */
  holderName?: string;
  choices: TokenList["choices"];
  opened: boolean;
  onClose: () => void;
}

export function TokenDialog({ holder, holderName, choices, opened, onClose }: TokenDialogProps) {
  const client = useQueryClient();
  const [made, setMade] = useState<MadeToken | null>(null);
  const done = () => {
    setMade(null);
    onClose();
  };
  const title = holderName === undefined ? "Create token" : `Create token for ${holderName}`;
  return (
    // Once the token is there its own button closes the dialog, so that it is not lost by a slip.
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
            setMade(await makeToken(holder, tokenOf(values)));
            await refreshTokens(client);
          }}
        />
      ) : (
        <MadeTokenNote made={made} onDone={done} />
      )}
    </Modal>
  );
}
