// "Add Sink", "Edit Sink" and "Delete Sink"; the form's code is loaded when it is first opened.
import type { AuditSink } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { lazy } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { creation, deletion, edit } from "./audit-sinks.queries.ts";
import { EMPTY_SINK, changedOf, formOf, newOf } from "./sink-form-values.ts";

const SinkForm = lazy(() => import("./sink-form.tsx"));

export function AddSinkDialog({ folder, ...props }: DialogProps & { folder: string }) {
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  return (
    <FormDialog
      {...props}
      title="Add Sink"
      size="lg"
      initial={EMPTY_SINK}
      submitLabel="Add Sink"
      failureText="Failed to add the sink"
      save={(values) => create(newOf(values))}
      done="Sink added"
    >
      {(form) => <SinkForm {...form} sink={null} folder={folder} />}
    </FormDialog>
  );
}

export function EditSinkDialog({ sink, folder, ...props }: DialogProps & { sink: AuditSink; folder: string }) {
  const { mutateAsync: save } = useMutation(edit(useQueryClient(), sink.id));
  return (
    <FormDialog
      {...props}
      title="Edit Sink"
      size="lg"
      initial={formOf(sink)}
      failureText="Failed to update the sink"
      save={(values) => save(changedOf(values))}
      done="Sink updated"
    >
      {(form) => <SinkForm {...form} sink={sink} folder={folder} />}
    </FormDialog>
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
