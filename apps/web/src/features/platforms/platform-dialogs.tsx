// "Create Platform", "Edit Platform" and "Delete Platform"; the form loads when one first opens.
import type { Platform } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { EMPTY_PLATFORM, copyOf, formOf, payloadOf } from "./platform-form-values.ts";
import { accountNamed, creation, deletion, edit } from "./platforms.queries.ts";

const PlatformForm = lazy(() => import("./platform-form.tsx"));

/** Given a platform, starts with a copy of it. */
export function CreatePlatformDialog({ of, ...props }: DialogProps & { of?: Platform }) {
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  const { isReady, name } = useReconcileName(of, props.opened);
  return (
    <FormDialog
      {...props}
      title={of === undefined ? "Create Platform" : "Duplicate Platform"}
      size="lg"
      initial={isReady ? (of === undefined ? EMPTY_PLATFORM : copyOf(of, name)) : null}
      submitLabel="Create Platform"
      failureText="Failed to create platform"
      save={(values) => create(payloadOf(values))}
      done="Platform created successfully"
    >
      {(form) => <PlatformForm {...form} />}
    </FormDialog>
  );
}

export function EditPlatformDialog({ platform, ...props }: DialogProps & { platform: Platform }) {
  const { mutateAsync: save } = useMutation(edit(useQueryClient(), platform.id));
  const { isReady, name } = useReconcileName(platform, props.opened);
  return (
    <FormDialog
      {...props}
      title="Edit Platform"
      size="lg"
      initial={isReady ? formOf(platform, name) : null}
      failureText="Failed to update platform"
      save={(values) => save(payloadOf(values))}
      done="Platform updated successfully"
    >
      {(form) => <PlatformForm {...form} platform={platform} />}
    </FormDialog>
  );
}

/** The name of the reconcile account; undefined when the caller cannot see it, so that the form shows its id. */
function useReconcileName(platform: Platform | undefined, isWanted: boolean) {
  const id = platform?.reconcile_account_id ?? null;
  const { data, isPending } = useQuery({ ...accountNamed(id ?? ""), enabled: isWanted && id !== null });
  return { isReady: id === null || !isPending, name: data?.name };
}

export function DeletePlatformDialog({ platform, opened, onClose }: DialogProps & { platform: Platform }) {
  const isUsed = platform.account_count > 0;
  return (
    <DeleteDialog
      opened={opened}
      title="Delete Platform"
      isDisabled={isUsed}
      mutation={deletion(useQueryClient(), platform.id)}
      done="Platform deleted successfully"
      failed="Failed to delete platform"
      onClose={onClose}
    >
      {isUsed ? (
        <p>
          <strong>{platform.name}</strong> is used by {counted(platform.account_count, "account")}. Move them to another
          platform first, or make this one inactive so that new accounts cannot use it.
        </p>
      ) : (
        <p>
          Are you sure you want to delete <strong>{platform.name}</strong>? This cannot be undone.
        </p>
      )}
    </DeleteDialog>
  );
}
