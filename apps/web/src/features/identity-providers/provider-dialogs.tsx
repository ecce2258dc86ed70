// Dialogs to add, edit and delete an identity provider.
import type { IdentityProvider, ProviderKind } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { deletion, saving } from "./identity-providers.queries.ts";
import { KIND_LABELS, bodyOf, emptyProvider, formOf } from "./provider-form-values.ts";
import { ProviderForm } from "./provider-form.tsx";

export interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

export function AddProviderDialog({ kind, opened, onClose }: DialogProps & { kind: ProviderKind }) {
  const { mutateAsync: add } = useMutation(saving(useQueryClient(), null));
  return (
    <Modal opened={opened} onClose={onClose} title={`Add ${KIND_LABELS[kind]}`} size="lg">
      <ProviderForm
        initial={emptyProvider(kind)}
        hasSecret={false}
        submitLabel="Add provider"
        failureText="Failed to add the provider"
        onCancel={onClose}
        onSubmit={async (values) => {
          await add(bodyOf(values));
          toast.success("Provider added. Test it before people use it.");
          onClose();
        }}
      />
    </Modal>
  );
}

export function EditProviderDialog({ provider, opened, onClose }: DialogProps & { provider: IdentityProvider }) {
  const { mutateAsync: save } = useMutation(saving(useQueryClient(), provider.id));
  return (
    <Modal opened={opened} onClose={onClose} title={`Edit ${provider.name}`} size="lg">
      <ProviderForm
        initial={formOf(provider)}
        hasSecret={provider.has_secret}
        submitLabel="Save Changes"
        failureText="Failed to save the provider"
        onCancel={onClose}
        onSubmit={async (values) => {
          await save(bodyOf(values));
          toast.success("Provider saved");
          onClose();
        }}
      />
    </Modal>
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
