// "Add Sink", "Edit Sink" and "Delete Sink"; the form's code is loaded when it is first opened.
import type { AuditSink } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { creation, deletion, edit } from "./audit-sinks.queries.ts";
import { EMPTY_SINK, changedOf, formOf, newOf } from "./sink-form-values.ts";

const SinkForm = lazy(() => import("./sink-form.tsx"));

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

export function AddSinkDialog({ folder, opened, onClose }: DialogProps & { folder: string }) {
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  return (
    <Modal opened={opened} onClose={onClose} title="Add Sink" size="lg">
      <Suspense fallback={<SectionLoading />}>
        <SinkForm
          sink={null}
          folder={folder}
          initial={EMPTY_SINK}
          submitLabel="Add Sink"
          failureText="Failed to add the sink"
          onCancel={onClose}
          onSubmit={async (values) => {
            await create(newOf(values));
            toast.success("Sink added");
            onClose();
          }}
        />
      </Suspense>
    </Modal>
  );
}

export function EditSinkDialog({ sink, folder, opened, onClose }: DialogProps & { sink: AuditSink; folder: string }) {
  const { mutateAsync: save } = useMutation(edit(useQueryClient(), sink.id));
  return (
    <Modal opened={opened} onClose={onClose} title="Edit Sink" size="lg">
      <Suspense fallback={<SectionLoading />}>
        <SinkForm
          sink={sink}
          folder={folder}
          initial={formOf(sink)}
          submitLabel="Save Changes"
          failureText="Failed to update the sink"
          onCancel={onClose}
          onSubmit={async (values) => {
            await save(changedOf(values));
            toast.success("Sink updated");
            onClose();
          }}
        />
      </Suspense>
    </Modal>
  );
}

export function DeleteSinkDialog({ sink, opened, onClose }: DialogProps & { sink: AuditSink }) {
  return (
    <DeleteDialog
      opened={opened}
      title="Delete Sink"
      mutation={deletion(useQueryClient(), sink.id)}
      done="Sink deleted"
      failed="Failed to delete the sink"
      onClose={onClose}
    >
      <p>
        <strong>{sink.name}</strong> receives nothing more, and its position in the log is lost. Data already delivered
        stays there.
      </p>
    </DeleteDialog>
  );
}
