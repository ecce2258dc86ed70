// The result of a scan of several targets: how many started, and each skipped target with the reason.
import { Button, Group, Stack } from "@mantine/core";
import type { DiscoveryTarget } from "@strongroom/contract";
import type { StartedScans } from "#shared/discovery/discovery-tab.ts";
import { counted } from "#shared/format/text.ts";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import classes from "../discovery.module.css";

export interface SkippedTargetsDialogProps {
  /** Null shows no dialog. */
  reply: StartedScans | null;
  targets: readonly DiscoveryTarget[];
  onClose: () => void;
}

export function SkippedTargetsDialog({ reply, targets, onClose }: SkippedTargetsDialogProps) {
  if (reply === null) return null;
  const { started, skipped } = reply;
  const nameOf = (id: string) => targets.find((target) => target.id === id)?.name ?? id;
  return (
    <Modal opened onClose={onClose} title={started.length === 0 ? "No Scan Started" : "Some Targets Were Skipped"}>
      <Stack gap="md">
        <Group gap="xs">
          {started.length > 0 && <StatusBadge status="verified" label={`${started.length.toLocaleString()} started`} />}
          <StatusBadge status="inactive" label={`${skipped.length.toLocaleString()} skipped`} />
        </Group>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
        <ul className={classes.skipped} aria-label={counted(skipped.length, "skipped target")} tabIndex={0}>
          {skipped.map(({ id, message }) => (
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
