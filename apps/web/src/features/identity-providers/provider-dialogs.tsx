// Dialogs to add, edit and delete an identity provider.
import type { IdentityProvider, ProviderKind } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { deletion, saving } from "./identity-providers.queries.ts";
import { KIND_LABELS, bodyOf, emptyProvider, formOf } from "./provider-form-values.ts";
import { ProviderForm } from "./provider-form.tsx";

export function AddProviderDialog({ kind, ...props }: DialogProps & { kind: ProviderKind }) {
  const { mutateAsync: add } = useMutation(saving(useQueryClient(), null));
  return (
    <FormDialog
      {...props}
      title={`Add ${KIND_LABELS[kind]}`}
      size="lg"
      initial={emptyProvider(kind)}
      submitLabel="Add Provider"
      failureText="Failed to add the provider"
      save={(values) => add(bodyOf(values))}
      done="Provider added. Test it before people use it."
    >
      {(form) => <ProviderForm {...form} hasSecret={false} />}
    </FormDialog>
  );
}

export function EditProviderDialog({ provider, ...props }: DialogProps & { provider: IdentityProvider }) {
  const { mutateAsync: save } = useMutation(saving(useQueryClient(), provider.id));
  return (
    <FormDialog
      {...props}
      title={`Edit ${provider.name}`}
      size="lg"
      initial={formOf(provider)}
      failureText="Failed to save the provider"
      save={(values) => save(bodyOf(values))}
      done="Provider saved"
    >
      {(form) => <ProviderForm {...form} hasSecret={provider.has_secret} />}
    </FormDialog>
  );
}

export function DeleteProviderDialog({ provider, opened, onClose }: DialogProps & { provider: IdentityProvider }) {
  return (
    <DeleteDialog
      opened={opened}
      title="Delete Provider"
      mutation={deletion(useQueryClient(), provider.id)}
      done={({ message }) => message}
      failed="Failed to delete the provider"
      onClose={onClose}
    >
      <p>
        Are you sure you want to delete <strong>{provider.name}</strong>?{" "}
        {provider.people === 0
          ? "No users sign in with it."
          : `${counted(provider.people, "user")} will be signed out and can sign in again once they have a password here.`}
      </p>
    </DeleteDialog>
  );
}
