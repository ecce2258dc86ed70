// The alarm about a server whose host key changed: both keys to compare, and a button to trust the new one.
import { Button } from "@mantine/core";
import { IconShieldExclamation } from "@tabler/icons-react";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { CodeBlock } from "./code-block.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import classes from "./host-key-alarm.module.css";
import { toast } from "./toast.ts";
import { toneStyle } from "./tone.ts";

export interface HostKeyAlarmProps {
  /** The server; null when it has no name. */
  host: string | null;
  /** Null when there is no alarm; then nothing is rendered. */
  alarm: { expected: string; presented: string } | null;
  /** Accepts the presented key. Rejects when the server refuses. */
  accept: (fingerprint: string) => Promise<unknown>;
}

export function HostKeyAlarm({ host, alarm, accept }: HostKeyAlarmProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  if (alarm === null) return null;

  async function acceptShown(presented: string): Promise<void> {
    setIsBusy(true);
    try {
      await accept(presented);
      toast.success("New host key accepted. Verify again to use it.");
    } catch (error) {
      toast.error(`Failed to accept the host key: ${messageOf(error)}`);
    }
    setIsBusy(false);
    setIsAsking(false);
  }

  return (
    <section className={classes.banner} style={toneStyle("danger")} role="alert" aria-label="Host key alarm">
      <IconShieldExclamation className={classes.icon} size={22} aria-hidden />
      <div className={classes.text}>
        <h2 className={classes.title}>The host key of {host ?? "the server"} has changed</h2>
        <p>
          Nothing was sent to it. Either the server was reinstalled, or someone is intercepting the connection. Ask its
          administrator for the fingerprint and compare every character before you accept.
        </p>
        <div className={classes.keys}>
          <Key name="Pinned host key" value={alarm.expected} />
          <Key name="Presented host key" value={alarm.presented} />
        </div>
        <Button color="red" onClick={() => setIsAsking(true)}>
          Accept New Host Key
        </Button>
      </div>
      <ConfirmDialog
        opened={isAsking}
        title="Accept New Host Key"
        variant="danger"
        confirmLabel="Accept New Host Key"
        isBusy={isBusy}
        onConfirm={() => void acceptShown(alarm.presented)}
        onCancel={() => setIsAsking(false)}
      >
        <p>The next verification will trust this key and send the secret to the server that presents it:</p>
        <CodeBlock code={alarm.presented} label="new host key" isWrapped />
      </ConfirmDialog>
    </section>
  );
}

function Key({ name, value }: { name: string; value: string }) {
  return (
    <div className={classes.key}>
      <p className={classes.keyName}>{name}</p>
      <CodeBlock code={value} label={name.toLowerCase()} isWrapped />
    </div>
  );
}
