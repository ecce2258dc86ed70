// "Add New Credential" (CRED-20 to CRED-24) and "Edit Credential", which keeps the secret unless a new one is entered
// (OPEN-56). The form loads when one first opens.
import type { Credential } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { lazy } from "react";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { EMPTY_FORM, editPayloadOf, formOf, newPayloadOf } from "./credential-form-values.ts";
import { changeCredential, storeCredential } from "../credentials.queries.ts";
import { saveFailureText } from "./save-credential.ts";

const CredentialForm = lazy(() => import("./credential-form.tsx"));

export function AddCredentialDialog(props: DialogProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      {...props}
      title="Add New Credential"
      size="lg"
      initial={EMPTY_FORM}
      submitLabel="Add Credential"
      failureText={(error) => saveFailureText(error, "Failed to create credential")}
      save={(values) => storeCredential(client, newPayloadOf(values))}
      done={({ name }) => `"${name}" added successfully`}
    >
      {(form) => <CredentialForm {...form} mode="add" />}
    </FormDialog>
  );
}

export function EditCredentialDialog({ credential, ...props }: DialogProps & { credential: Credential }) {
  const client = useQueryClient();
  return (
    <FormDialog
      {...props}
      title="Edit Credential"
      size="lg"
      initial={formOf(credential)}
      failureText={(error) => saveFailureText(error, "Failed to update credential")}
      save={(values) => changeCredential(client, credential.id, editPayloadOf(values))}
      done={({ name }) => `"${name}" updated successfully`}
    >
      {(form) => <CredentialForm {...form} mode="edit" />}
    </FormDialog>
  );
}
