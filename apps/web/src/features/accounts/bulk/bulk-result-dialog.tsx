// The result of a bulk action: counts the successes and lists each failure with its reason.
import { Button, Group, Stack } from "@mantine/core";
import type { Account } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import classes from "../list/accounts-page.module.css";

export interface BulkResult {
  /** The label of the action's button. */
  action: string;
  done: number;
  failed: readonly { id: string; message: string }[];
}

export interface BulkResultDialogProps {
  /** Null shows no dialog; a result without failures is shown as a toast instead. */
  result: BulkResult | null;
  accounts: readonly Account[];
  onClose: () => void;
}

export function BulkResultDialog({ result, accounts, onClose }: BulkResultDialogProps) {
  if (result === null) return null;
  const nameOf = (id: string) => accounts.find((account) => account.id === id)?.name ?? id;
  return (
    <Modal opened={result.failed.length > 0} onClose={onClose} title={`${result.action}: Some Accounts Failed`}>
      <Stack gap="md">
        <Group gap="xs">
          <StatusBadge status="verified" label={`${result.done.toLocaleString()} done`} />
          <StatusBadge status="failed" label={`${result.failed.length.toLocaleString()} failed`} />
        </Group>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
        <ul className={classes.failures} aria-label={counted(result.failed.length, "failure")} tabIndex={0}>
          {result.failed.map(({ id, message }) => (
            <li key={id}>
              <strong>{nameOf(id)}</strong>
              <p>{message}</p>
            </li>
          ))}
        </ul>
        <DialogButtons>
          <Button onClick={onClose}>Close</Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}
