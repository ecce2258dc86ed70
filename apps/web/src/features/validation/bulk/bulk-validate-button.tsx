// "Bulk Validate Critical", with confirmation (VAL-20 to VAL-22).
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconShieldBolt } from "@tabler/icons-react";
import { BulkValidateDialog } from "./bulk-validate-dialog.tsx";

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
