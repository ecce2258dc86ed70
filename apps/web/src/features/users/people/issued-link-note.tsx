// Shows a link that sets a user's password. It is shown only here and is lost when the dialog closes.
import { Button, Stack } from "@mantine/core";
import { absoluteTime } from "#shared/format/time.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import classes from "#shared/ui/admin-console.module.css";

export interface IssuedLink {
  email: string;
  link: string;
  expiresAt: string;
  isInvitation?: boolean;
}

export default function IssuedLinkNote({ issued, onDone }: { issued: IssuedLink; onDone: () => void }) {
  return (
    <Stack gap="md">
      <p className={classes.plain}>
        Give this link to <strong>{issued.email}</strong> in person or over a channel you trust: anyone who opens it can
        set their password. It works once, until {absoluteTime(issued.expiresAt)}, and is not shown again.
      </p>
      <CodeBlock code={issued.link} label={issued.isInvitation === true ? "invitation link" : "reset link"} isWrapped />
      <Button onClick={onDone} ml="auto">
        Done
      </Button>
    </Stack>
  );
}
