// "Bulk Validate Critical", with confirmation (VAL-20 to VAL-22).
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { IconShieldBolt } from "@tabler/icons-react";

interface BulkValidateDialogProps {
  opened: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

export interface BulkValidateButtonProps {
  /** True without a high or critical failure, or while a bulk validation runs (VAL-21, VAL-22). */
  isDisabled: boolean;
  onConfirm: () => void;
}

export function BulkValidateButton({ isDisabled, onConfirm }: BulkValidateButtonProps) {
  const [isAsking, asking] = useDisclosure(false);
  const confirm = () => {
    asking.close();
    onConfirm();
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShieldBolt size={16} aria-hidden />}
        onClick={asking.open}
        disabled={isDisabled}
      >
        Bulk Validate Critical
      </Button>
      <BulkValidateDialog opened={isAsking} onClose={asking.close} onConfirm={confirm} />
    </>
  );
}

function BulkValidateDialog({ opened, onConfirm, onClose }: BulkValidateDialogProps) {
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
