// "Edit Credential": edits every field, and replaces the secret only when a new one is entered (OPEN-56).
import type { Credential } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { toast } from "#shared/ui/toast.ts";
import { editPayloadOf, formOf, type CredentialFormValues } from "./credential-form-values.ts";
import { CredentialFormDialog } from "./credential-form-dialog.tsx";
import { changeCredential } from "../credentials.queries.ts";

export interface EditCredentialDialogProps {
  credential: Credential;
  opened: boolean;
  onClose: () => void;
}

export function EditCredentialDialog({ credential, opened, onClose }: EditCredentialDialogProps) {
  const client = useQueryClient();

  async function save(values: CredentialFormValues): Promise<void> {
    const { name } = await changeCredential(client, credential.id, editPayloadOf(values));
    toast.success(`"${name}" updated successfully`);
    onClose();
  }

  return (
    <CredentialFormDialog
      title="Edit Credential"
      opened={opened}
      onClose={onClose}
      mode="edit"
      initial={formOf(credential)}
      submitLabel="Save Changes"
      failureText="Failed to update credential"
      onSubmit={save}
    />
  );
}
