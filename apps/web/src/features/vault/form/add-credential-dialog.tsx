// "Add New Credential" (CRED-20 to CRED-24).
import { useQueryClient } from "@tanstack/react-query";
import { toast } from "#shared/ui/toast.ts";
import { EMPTY_FORM, newPayloadOf, type CredentialFormValues } from "./credential-form-values.ts";
import { CredentialFormDialog } from "./credential-form-dialog.tsx";
import { storeCredential } from "../credentials.queries.ts";

export interface AddCredentialDialogProps {
  opened: boolean;
  onClose: () => void;
}

export function AddCredentialDialog({ opened, onClose }: AddCredentialDialogProps) {
  const client = useQueryClient();

  async function add(values: CredentialFormValues): Promise<void> {
    const { name } = await storeCredential(client, newPayloadOf(values));
    toast.success(`"${name}" added successfully`);
    onClose();
  }

  return (
    <CredentialFormDialog
      title="Add New Credential"
      opened={opened}
      onClose={onClose}
      mode="add"
      initial={EMPTY_FORM}
      submitLabel="Add Credential"
      failureText="Failed to create credential"
      onSubmit={add}
    />
  );
}
