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
      This verifies every account with a high or critical failure again, including rejected passwords. A system may lock
      an account after several rejected logins.
    </ConfirmDialog>
  );
}
