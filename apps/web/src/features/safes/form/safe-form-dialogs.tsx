// "Create New Safe" and "Edit Safe" (SAFE-07): the dialogs around the form, which loads when one first opens.
import type { Safe } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { lazy } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useUser } from "#shared/session/session-store.ts";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { EMPTY_SAFE, changeOf, editPayloadOf, formOf, newPayloadOf } from "./safe-form-values.ts";
import { creation, edit } from "../safes.queries.ts";

const SafeForm = lazy(() => import("./safe-form.tsx"));

export function CreateSafeDialog(props: DialogProps) {
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  return (
    <FormDialog
      {...props}
      title="Create New Safe"
      initial={EMPTY_SAFE}
      submitLabel="Create Safe"
      failureText="Failed to create safe"
      save={(values) => create(newPayloadOf(values))}
      done="Safe created successfully"
    >
      {(form) => <SafeForm {...form} />}
    </FormDialog>
  );
}

export function EditSafeDialog({ safe, ...props }: DialogProps & { safe: Safe }) {
  const user = useUser();
  const { mutateAsync: save } = useMutation(edit(useQueryClient(), safe.id));
  return (
    <FormDialog
      {...props}
      title="Edit Safe"
      initial={formOf(safe)}
      failureText="Failed to update safe"
      save={(values) => save(editPayloadOf(values, safe))}
      done="Safe updated successfully"
    >
      {(form) => (
        <SafeForm
          {...form}
          hasStatus
          changeOf={(values) => changeOf(values, safe)}
          canChangeOwner={user.role === "admin" || user.id === safe.owner_id}
        />
      )}
    </FormDialog>
  );
}
