// Shows a new token. It is shown only here and is lost when the dialog closes.
import { Button, Stack } from "@mantine/core";
import { absoluteTime } from "#shared/format/time.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import type { ReplyOf, createToken } from "@strongroom/contract";
import classes from "./tokens.module.css";

export type CreatedToken = ReplyOf<typeof createToken>;

export function CreatedTokenNote({ made, onDone }: { made: CreatedToken; onDone: () => void }) {
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
