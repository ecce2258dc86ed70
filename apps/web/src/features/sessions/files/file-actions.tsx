// Creates, renames and deletes files and folders on the target of an account.
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Form } from "#shared/ui/form.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { joinPath, type SftpClient } from "./sftp-client.ts";
import type { FileEntry } from "./sftp-packets.ts";

/** The action whose dialog is open; null without a dialog. */
export type FileAction = { kind: "new-folder" } | { kind: "rename" | "delete"; entry: FileEntry } | null;

export interface FileActionsProps {
  action: FileAction;
  /** Runs a change on the target; rejects when it refuses. */
  change: (work: (client: SftpClient) => Promise<void>) => Promise<void>;
  path: string;
  entries: readonly FileEntry[];
  onClose: () => void;
  /** After a change on the target. */
  onDone: () => void;
}

/** The longest name that common file systems accept, in bytes. */
const LONGEST_NAME = 255;

/** Returns why a name cannot be used in this folder; null when it can. */
export function objectionTo(name: string, entries: readonly FileEntry[]): string | null {
  if (name === "." || name === ".." || name.includes("/")) return "A name cannot be . or .. or contain /";
  if (new TextEncoder().encode(name).length > LONGEST_NAME) return "The name is too long";
  return entries.some((entry) => entry.name === name) ? "This folder already contains this name" : null;
}

const kindOf = ({ kind }: FileEntry): string => (kind === "folder" ? "folder" : "file");

export function FileActions({ action, change, path, entries, onClose, onDone }: FileActionsProps) {
  const common = { opened: action !== null, onClose };
  if (action === null) return null;
  if (action.kind === "new-folder") {
    return (
      <NameDialog
        {...common}
        title="New Folder"
        name=""
        entries={entries}
        submitLabel="Create"
        failureText="Failed to create the folder"
        save={async (name) => {
          await change((client) => client.makeFolder(joinPath(path, name)));
          toast.success(`Created ${name}`);
          onDone();
        }}
      />
    );
  }
  const { entry } = action;
  if (action.kind === "rename") {
    return (
      <NameDialog
        {...common}
        title={`Rename ${entry.name}`}
        name={entry.name}
        entries={entries}
        submitLabel="Rename"
        failureText="Failed to rename"
        save={async (name) => {
          await change((client) => client.rename(joinPath(path, entry.name), joinPath(path, name)));
          toast.success(`Renamed ${entry.name} to ${name}`);
          onDone();
        }}
      />
    );
  }
  return (
    <DeleteDialog
      {...common}
      isOnTop
      title={`Delete the ${kindOf(entry)}`}
      mutation={{ mutationFn: () => change((client) => client.remove(joinPath(path, entry.name), entry.kind)) }}
      done={`Deleted ${entry.name}`}
      failed={`Failed to delete ${entry.name}`}
      onDone={onDone}
    >
      {entry.kind === "folder"
        ? `"${entry.name}" is deleted on the target. It must be empty.`
        : `"${entry.name}" is deleted on the target. This cannot be undone.`}
    </DeleteDialog>
  );
}

interface NameDialogProps extends DialogProps {
  title: ReactNode;
  name: string;
  entries: readonly FileEntry[];
  submitLabel: string;
  failureText: string;
  save: (name: string) => Promise<void>;
}

function NameDialog({ opened, onClose, title, name, entries, submitLabel, failureText, save }: NameDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="sm" isOnTop>
      <Form
        initial={{ name }}
        check={(values) => {
          const objection = objectionTo(values.name, entries);
          return objection === null ? {} : { name: objection };
        }}
        isDisabled={({ values }) => values.name === "" || values.name === name}
        failureText={failureText}
        submitLabel={submitLabel}
        onCancel={onClose}
        onSubmit={async (values, isHere) => {
          await save(values.name);
          if (isHere()) onClose();
        }}
      >
        {(form) => (
          <TextInput
            label="Name"
            required
            maxLength={LONGEST_NAME}
            data-autofocus
            spellCheck={false}
            autoCapitalize="off"
            {...form.getInputProps("name")}
          />
        )}
      </Form>
    </Modal>
  );
}
