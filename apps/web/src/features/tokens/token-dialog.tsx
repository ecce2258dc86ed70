// "Create token": the form, then the new token, shown once.
import { useQueryClient } from "@tanstack/react-query";
import type { TokenList, ReplyOf, createToken } from "@strongroom/contract";
import { useState } from "react";
import { Modal } from "#shared/ui/modal.tsx";
import { tokenOf } from "./token-form-values.ts";
import { TokenForm } from "./token-form.tsx";
import { Button, Stack } from "@mantine/core";
import { absoluteTime } from "#shared/format/time.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import classes from "./tokens.module.css";
import { tokenCreation, refreshTokens, type Holder } from "./tokens.queries.ts";

type CreatedToken = ReplyOf<typeof createToken>;

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
  const title = holderName === undefined ? "Create Token" : `Create Token for ${holderName}`;
  return (
    // After creation only the dialog's own button closes it, so that the token is not lost by accident.
    <Modal
      opened={opened}
      onClose={done}
      title={made === null ? title : "Your New Token"}
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

function CreatedTokenNote({ made, onDone }: { made: CreatedToken; onDone: () => void }) {
  const { token, details } = made;
  return (
    <Stack gap="md">
      <p className={classes.plain}>
        Copy <strong>{details.name}</strong> now. It is not shown again. Anyone who has it can act as{" "}
        <strong>{details.holder.name}</strong> until {absoluteTime(details.expires_at)}.
      </p>
      <CodeBlock code={token} label="API token" isWrapped />
      <div>
        <p className={classes.caption}>Send it in a header, never in a URL:</p>
        <CodeBlock
          code={`curl -H "Authorization: Bearer $API_TOKEN" ${location.origin}/api/v1/accounts`}
          label="example call"
          isWrapped
        />
      </div>
      <Button onClick={onDone} ml="auto" data-autofocus>
        Done
      </Button>
    </Stack>
  );
}
