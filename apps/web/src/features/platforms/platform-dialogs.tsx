// "Create Platform", "Edit Platform" and "Delete Platform"; the form loads when one first opens.
import type { Platform } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, type ReactNode } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { EMPTY_PLATFORM, copyOf, formOf, payloadOf } from "./platform-form-values.ts";
import { accountNamed, creation, deletion, edit } from "./platforms.queries.ts";

const PlatformForm = lazy(() => import("./platform-form.tsx"));

export interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

function FormModal({ title, opened, onClose, children }: DialogProps & { title: string; children: ReactNode }) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg">
      <Suspense fallback={<SectionLoading />}>{children}</Suspense>
    </Modal>
  );
}

/** Given a platform, starts with a copy of it. */
export function CreatePlatformDialog({ of, opened, onClose }: DialogProps & { of?: Platform }) {
  const title = of === undefined ? "Create Platform" : "Duplicate Platform";
  return (
    <FormModal title={title} opened={opened} onClose={onClose}>
      <CreateForm of={of} onClose={onClose} />
    </FormModal>
  );
}

function CreateForm({ of, onClose }: { of: Platform | undefined; onClose: () => void }) {
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  const { isReady, name } = useReconcileName(of);
  if (!isReady) return <SectionLoading />;
  return (
    <PlatformForm
      initial={of === undefined ? EMPTY_PLATFORM : copyOf(of, name)}
      submitLabel="Create Platform"
      failureText="Failed to create platform"
      onCancel={onClose}
      onSubmit={async (values) => {
        await create(payloadOf(values));
        toast.success("Platform created successfully");
        onClose();
      }}
    />
  );
}

export function EditPlatformDialog({ platform, opened, onClose }: DialogProps & { platform: Platform }) {
  return (
    <FormModal title="Edit Platform" opened={opened} onClose={onClose}>
      <EditForm platform={platform} onClose={onClose} />
    </FormModal>
  );
}

function EditForm({ platform, onClose }: { platform: Platform; onClose: () => void }) {
  const { mutateAsync: save } = useMutation(edit(useQueryClient(), platform.id));
  const { isReady, name } = useReconcileName(platform);
  if (!isReady) return <SectionLoading />;
  return (
    <PlatformForm
      initial={formOf(platform, name)}
      platform={platform}
      submitLabel="Save Changes"
      failureText="Failed to update platform"
      onCancel={onClose}
      onSubmit={async (values) => {
        await save(payloadOf(values));
        toast.success("Platform updated successfully");
        onClose();
      }}
    />
  );
}

/** The name of the reconcile account; undefined when the caller cannot see it, so that the form shows its id. */
function useReconcileName(platform: Platform | undefined): { isReady: boolean; name: string | undefined } {
  const id = platform?.reconcile_account_id ?? null;
  const { data, isPending } = useQuery({ ...accountNamed(id ?? ""), enabled: id !== null });
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
