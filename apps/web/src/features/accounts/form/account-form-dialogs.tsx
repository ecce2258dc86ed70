// "Create New Account" and "Edit Account": the dialogs around the form, which loads when one first opens.
import type { Account } from "@strongroom/contract";
import { MutationObserver, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { Suspense, lazy } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { rotating } from "#shared/rotation/rotation.queries.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { EMPTY_FORM, editPayloadOf, formOf, newPayloadOf } from "./account-form-values.ts";
import { changeAccount, storeAccount } from "../accounts.queries.ts";
import { createFailureText, editFailureText } from "./save-account.ts";

const AccountForm = lazy(() => import("./account-form.tsx"));

export interface AccountFormDialogProps {
  opened: boolean;
  onClose: () => void;
}

export interface CreateAccountDialogProps extends AccountFormDialogProps {
  /** The preselected safe. */
  safeId?: string | undefined;
}

export function CreateAccountDialog({ opened, onClose, safeId = "" }: CreateAccountDialogProps) {
  const client = useQueryClient();
  return (
    <Modal opened={opened} onClose={onClose} title="Create New Account" size="lg">
      <Suspense fallback={<SectionLoading />}>
        <AccountForm
          mode="create"
          initial={{ ...EMPTY_FORM, safe_id: safeId }}
          submitLabel="Create Account"
          busyLabel="Creating..."
          failureText={createFailureText}
          onCancel={onClose}
          onSubmit={async (values) => {
            const account = await storeAccount(client, newPayloadOf(values));
            toast.success(`Account "${account.name}" created successfully`);
            onClose();
            if (values.rotates) await rotateNow(client, account);
          }}
        />
      </Suspense>
    </Modal>
  );
}

/** Never throws: the account is stored, and its page offers the rotation too. */
async function rotateNow(client: QueryClient, { id, name }: Account): Promise<void> {
  try {
    await new MutationObserver(client, rotating(client, { kind: "account", id, name })).mutate();
    // VAULT-32.
    toast.success(`Rotation process initiated for "${name}"`);
  } catch (error) {
    toast.error(messageOf(error), { title: "Failed to rotate password" });
  }
}

export function EditAccountDialog({ account, opened, onClose }: AccountFormDialogProps & { account: Account }) {
  const client = useQueryClient();
  const may = (permission: Account["my_permissions"][number]) => account.my_permissions.includes(permission);
  return (
    <Modal opened={opened} onClose={onClose} title="Edit Account" size="lg">
      <Suspense fallback={<SectionLoading />}>
        <AccountForm
          mode="edit"
          initial={formOf(account)}
          may={{ name: may("rename"), properties: may("update_properties"), secret: may("update_secret") }}
          submitLabel="Save Changes"
          busyLabel="Saving..."
          failureText={editFailureText}
          onCancel={onClose}
          onSubmit={async (values) => {
            const { name } = await changeAccount(client, account.id, editPayloadOf(values));
            toast.success(`Account "${name}" updated successfully`);
            onClose();
          }}
        />
      </Suspense>
    </Modal>
  );
}
