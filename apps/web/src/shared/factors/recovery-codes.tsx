// Shows new recovery codes, once.
import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCopy, IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { copySecret } from "#shared/ui/copy.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import { toast } from "#shared/ui/toast.ts";
import classes from "./factors.module.css";

export interface RecoveryCodesProps {
  codes: readonly string[];
  doneLabel: string;
  onDone: () => void;
}

export function RecoveryCodes({ codes, doneLabel, onDone }: RecoveryCodesProps) {
  const [isKept, setIsKept] = useState(false);
  const text = `${codes.join("\n")}\n`;
  const copy = () =>
    copySecret(text).then(
      () => toast.success("Recovery codes copied"),
      () => toast.error("Failed to copy the recovery codes"),
    );
  const save = () => saveFile("strongroom-recovery-codes.txt", new Blob([text], { type: "text/plain" }));
  return (
    <Stack gap="md">
      <Text size="sm">
        Each code signs you in once if you lose your other second factors. Keep them where you can find them then: on
        paper or in another password manager.
      </Text>
      <Alert color="brass" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        The codes are not shown again.
      </Alert>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={() => void copy()}>
          Copy
        </Button>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={save}>
          Download
        </Button>
      </Group>
      <Checkbox
        label="I have stored these codes in a safe place"
        checked={isKept}
        onChange={(event) => setIsKept(event.currentTarget.checked)}
      />
      <Button onClick={onDone} disabled={!isKept} fullWidth>
        {doneLabel}
      </Button>
    </Stack>
  );
}
