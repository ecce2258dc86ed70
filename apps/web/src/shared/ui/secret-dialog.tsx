// Shows a revealed secret in large monospaced characters, for typing it on a console, and hides it after a minute.
import { DialogButtons } from "./dialog-buttons.tsx";
import { Button, Stack } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { countdown } from "#shared/format/time.ts";
import { copySecret } from "./copy.ts";
import { CodeBlock } from "./code-block.tsx";
import { Modal, type DialogProps } from "./modal.tsx";
import { charactersOf } from "./secret-characters.ts";
import classes from "./secret-dialog.module.css";
import { toast } from "./toast.ts";

/** Milliseconds. */
export const HIDE_AFTER_MS = 60_000;

/** Longer secrets are not typed by hand, so they are shown as a block. */
const LONGEST_TYPED = 80;

export interface SecretDialogProps extends DialogProps {
  title: string;
  /** Null while the dialog is closed. INVARIANT: the page holds the secret no longer than the dialog is open. */
  secret: string | null;
}

export function SecretDialog({ title, secret, opened, onClose }: SecretDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg" isShort>
      {secret !== null && <ShownSecret secret={secret} onClose={onClose} />}
    </Modal>
  );
}

function ShownSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const left = useTimeLeft(onClose);
  const isTyped = secret.length <= LONGEST_TYPED && !secret.includes("\n");
  const copy = () =>
    void copySecret(secret).then(
      () => toast.success("Password copied to clipboard!"),
      () => toast.error("Failed to copy password"),
    );
  return (
    <Stack gap="md">
      {isTyped ? <Characters secret={secret} /> : <CodeBlock code={secret} label="secret" isWrapped />}
      <p className={classes.note}>
        {isTyped && `${secret.length} characters. `}Hidden in <span role="timer">{countdown(left)}</span>.
      </p>
      <DialogButtons>
        {isTyped && (
          <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
            Copy
          </Button>
        )}
        <Button onClick={onClose} data-autofocus>
          Hide
        </Button>
      </DialogButtons>
    </Stack>
  );
}

/** The milliseconds until `onEnd` is called. */
function useTimeLeft(onEnd: () => void): number {
  const [endsAt] = useState(() => Date.now() + HIDE_AFTER_MS);
  const [left, setLeft] = useState(HIDE_AFTER_MS);
  useEffect(() => {
    const timer = setInterval(() => setLeft(endsAt - Date.now()), 250);
    return () => clearInterval(timer);
  }, [endsAt]);
  const hasEnded = left <= 0;
  useEffect(() => {
    if (hasEnded) onEnd();
  }, [hasEnded, onEnd]);
  return left;
}

function Characters({ secret }: { secret: string }) {
  return (
    <ol className={classes.characters} aria-label="Characters">
      {charactersOf(secret).map(({ text, kind, name }, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- a character has no other identity than its place
        <li key={place} className={classes.character} data-kind={kind} title={name}>
          {text}
          <span className={classes.place} aria-hidden>
            {place + 1}
          </span>
        </li>
      ))}
    </ol>
  );
}
