// Asks for confirmation before rejected passwords are sent to their targets again.
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";

export interface BulkValidateDialogProps {
  opened: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

export function BulkValidateDialog({ opened, onConfirm, onClose }: BulkValidateDialogProps) {
  return (
    <ConfirmDialog
      opened={opened}
      title="Bulk Validate Critical"
      confirmLabel="Validate"
      onConfirm={onConfirm}
      onCancel={onClose}
    >
      Everything whose failure is high or critical is tried once more, also passwords that their system has refused. A
      system may lock an account after several refusals.
    </ConfirmDialog>
  );
}
