// A confirmation dialog in the variants danger, warning, success and info, with Confirm and Cancel (SHELL-38).
import { Button, Stack } from "@mantine/core";
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck, IconInfoCircle, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./confirm-dialog.module.css";
import { DialogButtons } from "./dialog-buttons.tsx";
import { Modal } from "./modal.tsx";
import { toneStyle, type Tone } from "./tone.ts";

export const CONFIRM_VARIANTS = ["danger", "warning", "success", "info"] as const;
export type ConfirmVariant = (typeof CONFIRM_VARIANTS)[number];

const LOOKS: Record<ConfirmVariant, { tone: Tone; icon: Icon; color: string }> = {
  danger: { tone: "danger", icon: IconAlertOctagon, color: "red" },
  warning: { tone: "warning", icon: IconAlertTriangle, color: "brass" },
  success: { tone: "success", icon: IconCircleCheck, color: "green" },
  info: { tone: "info", icon: IconInfoCircle, color: "petrol" },
};

export interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  children: ReactNode;
  variant?: ConfirmVariant;
  confirmLabel?: string;
  cancelLabel?: string;
  /** While the confirmed action runs. */
  isBusy?: boolean;
  /** While a required input in the dialog is missing. */
  isDisabled?: boolean;
  /** The dialog may open on top of another one. */
  isOnTop?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

export function ConfirmDialog({
  opened,
  title,
  children,
  variant = "warning",
  confirmLabel = "Confirm",
  cancelLabel = "Cancel",
  isBusy = false,
  isDisabled = false,
  isOnTop = false,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const { tone, icon: VariantIcon, color } = LOOKS[variant];
  return (
    <Modal opened={opened} onClose={onCancel} title={title} size="md" isOnTop={isOnTop}>
      <Stack gap="lg">
        <div className={classes.body}>
          <span className={classes.icon} style={toneStyle(tone)}>
            <VariantIcon size={20} aria-hidden />
          </span>
          <div className={classes.text}>{children}</div>
        </div>
        <DialogButtons>
          {/* The harmless choice gets the initial focus. */}
          <Button variant="default" onClick={onCancel} disabled={isBusy} data-autofocus>
            {cancelLabel}
          </Button>
          <Button color={color} onClick={onConfirm} loading={isBusy} disabled={isDisabled}>
            {confirmLabel}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}
