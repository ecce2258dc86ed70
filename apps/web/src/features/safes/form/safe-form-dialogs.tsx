// "Create New Safe" and "Edit Safe" (SAFE-07): the dialogs around the form, which loads when one first opens.
import type { Safe } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useUser } from "#shared/session/session-store.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { EMPTY_SAFE, changeOf, editPayloadOf, formOf, newPayloadOf } from "./safe-form-values.ts";
import { creation, edit } from "../safes.queries.ts";

const SafeForm = lazy(() => import("./safe-form.tsx"));

export interface SafeDialogProps {
  opened: boolean;
  onClose: () => void;
}

export function CreateSafeDialog({ opened, onClose }: SafeDialogProps) {
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  return (
    <Modal opened={opened} onClose={onClose} title="Create New Safe">
      <Suspense fallback={<SectionLoading />}>
        <SafeForm
          initial={EMPTY_SAFE}
          submitLabel="Create Safe"
          failureText="Failed to create safe"
          onCancel={onClose}
          onSubmit={async (values) => {
            await create(newPayloadOf(values));
            toast.success("Safe created successfully");
            onClose();
          }}
        />
      </Suspense>
    </Modal>
  );
}

export function EditSafeDialog({ safe, opened, onClose }: SafeDialogProps & { safe: Safe }) {
  const user = useUser();
  const { mutateAsync: save } = useMutation(edit(useQueryClient(), safe.id));
  return (
    <Modal opened={opened} onClose={onClose} title="Edit Safe">
      <Suspense fallback={<SectionLoading />}>
        <SafeForm
          initial={formOf(safe)}
          hasStatus
          changeOf={(values) => changeOf(values, safe)}
          canChangeOwner={user.role === "admin" || user.id === safe.owner_id}
          submitLabel="Save Changes"
          failureText="Failed to update safe"
          onCancel={onClose}
          onSubmit={async (values) => {
            await save(editPayloadOf(values, safe));
            toast.success("Safe updated successfully");
            onClose();
          }}
        />
      </Suspense>
    </Modal>
  );
}
