// Files on the target of an account: lists folders, downloads and uploads, in a separate recorded session.
import { ActionIcon, Button, FileButton, Group, Progress, Stack, TextInput } from "@mantine/core";
import {
  IconArrowUp,
  IconDownload,
  IconFile,
  IconFolder,
  IconFolderPlus,
  IconPencil,
  IconRefresh,
  IconTrash,
  IconUpload,
  IconX,
  type Icon,
} from "@tabler/icons-react";
import type { Account } from "@strongroom/contract";
import { useEffect, useRef, useState } from "react";
import { socketUrl } from "#shared/api/call.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { inBytes } from "#shared/format/size.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { saveFile } from "#shared/ui/save-file.ts";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { startSession, type Justification } from "../sessions.queries.ts";
import { FileActions, type FileAction } from "./file-actions.tsx";
import classes from "./files.module.css";
import { SftpClient, joinPath, parentOf } from "./sftp-client.ts";
import type { FileEntry } from "./sftp-packets.ts";

export interface FilesDialogProps extends DialogProps {
  account: Pick<Account, "id" | "name">;
  /** The justification of the terminal's session. */
  justification: Justification;
}

/** A browser keeps a download in memory until it is complete. */
const LARGEST_DOWNLOAD = 2 * 1024 ** 3;

export default function FilesDialog({ account, justification, opened, onClose }: FilesDialogProps) {
  const [attempt, setAttempt] = useState(0);
  const retry = (): void => setAttempt(attempt + 1);
  return (
    <Modal opened={opened} onClose={onClose} title={`Files of ${account.name}`} size="xl">
      {opened && <Files key={attempt} account={account} justification={justification} onRetry={retry} />}
    </Modal>
  );
}

interface Folder {
  path: string;
  entries: readonly FileEntry[];
}

interface Transfer {
  id: number;
  label: string;
  bytes: number;
  size: number;
  cancel: () => void;
}

interface FilesProps extends Pick<FilesDialogProps, "account" | "justification"> {
  onRetry: () => void;
}

function Files({ account, justification, onRetry }: FilesProps) {
  const client = useRef<SftpClient | null>(null);
  const [folder, setFolder] = useState<Folder | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const { transfers, run } = useTransfers();
  const [replacing, setReplacing] = useState<File | null>(null);
  const [action, setAction] = useState<FileAction>(null);

  useEffect(() => {
    let isHere = true;
    const fail = (text: string) => isHere && setFailure(text);
    const begin = async (): Promise<void> => {
      const started = await startSession(account.id, justification);
      if (!isHere) return;
      const opened = new SftpClient({
        url: socketUrl(started.connect_path),
        ticket: started.ticket,
        onEnd: fail,
      });
      client.current = opened;
      await opened.ready;
      const path = await opened.realPath(".");
      const entries = await opened.list(path);
      if (isHere) setFolder({ path, entries });
    };
    begin().catch((error: unknown) => fail(messageOf(error)));
    return () => {
      isHere = false;
      client.current?.close();
      client.current = null;
    };
  }, [account.id, justification]);

  const show = async (path: string): Promise<void> => {
    try {
      const entries = await client.current?.list(path);
      if (entries !== undefined) setFolder({ path, entries });
    } catch (error) {
      toast.error(messageOf(error), { title: `Failed to list ${path}` });
    }
  };
  const download = (path: string, { name, size }: FileEntry): void => {
    if ((size ?? 0) > LARGEST_DOWNLOAD) {
      toast.error("Use scp or sftp for files of more than 2 GB.", { title: `Failed to download ${name}` });
      return;
    }
    run(`Downloading ${name}`, size ?? 0, async (transfer) => {
      const content = await client.current!.download(joinPath(path, name), transfer);
      saveFile(name, content);
    });
  };
  const upload = (path: string, file: File): void =>
    run(`Uploading ${file.name}`, file.size, async (transfer) => {
      await client.current!.upload(joinPath(path, file.name), file, transfer);
      toast.success(`Uploaded ${file.name}`);
      await show(path);
    });

  if (failure !== null) return <ErrorState message={failure} onRetry={onRetry} />;
  if (folder === null) return <SectionLoading text="Opening the files..." />;
  const { path, entries } = folder;
  const offer = (file: File | null): void => {
    if (file === null) return;
    if (entries.some(({ name }) => name === file.name)) setReplacing(file);
    else upload(path, file);
  };
  return (
    <Stack gap="sm">
      <Location key={path} path={path} onGo={(next) => void show(next)} />
      <Group gap="xs">
        <FileButton onChange={offer} inputProps={{ "aria-label": "File to upload" }}>
          {(props) => (
            <Button size="compact-md" leftSection={<IconUpload size={16} aria-hidden />} {...props}>
              Upload
            </Button>
          )}
        </FileButton>
        <Button
          size="compact-md"
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={() => void show(path)}
        >
          Refresh
        </Button>
        <Button
          size="compact-md"
          variant="default"
          leftSection={<IconFolderPlus size={16} aria-hidden />}
          onClick={() => setAction({ kind: "new-folder" })}
        >
          New Folder
        </Button>
      </Group>
      {transfers.map((transfer) => (
        <TransferRow key={transfer.id} transfer={transfer} />
      ))}
      <Entries
        folder={folder}
        onOpen={(name) => void show(joinPath(path, name))}
        onDownload={(entry) => download(path, entry)}
        onAction={setAction}
      />
      <p className={classes.note}>File access is a separate session. Each operation is recorded and audited.</p>
      {/* The names typed in these dialogs are not edits of the dialog below, which would ask before it closes. */}
      <div onChange={(event) => event.stopPropagation()}>
        <FileActions
          action={action}
          change={(work) => work(client.current!)}
          path={path}
          entries={entries}
          onClose={() => setAction(null)}
          onDone={() => void show(path)}
        />
      </div>
      <ConfirmDialog
        opened={replacing !== null}
        title="Replace the File"
        confirmLabel="Replace"
        isOnTop
        onCancel={() => setReplacing(null)}
        onConfirm={() => {
          if (replacing !== null) upload(path, replacing);
          setReplacing(null);
        }}
      >
        {`${path} already contains "${replacing?.name ?? ""}". The upload replaces it.`}
      </ConfirmDialog>
    </Stack>
  );
}

function Location({ path, onGo }: { path: string; onGo: (path: string) => void }) {
  const [typed, setTyped] = useState(path);
  return (
    <form
      className={classes.location}
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.startsWith("/")) onGo(typed);
      }}
    >
      <ActionIcon
        variant="default"
        size="lg"
        aria-label="Parent Folder"
        disabled={path === "/"}
        onClick={() => onGo(parentOf(path))}
      >
        <IconArrowUp size={16} aria-hidden />
      </ActionIcon>
      <TextInput
        className={classes.path}
        aria-label="Folder"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        spellCheck={false}
        autoCapitalize="off"
      />
      <Button type="submit" variant="default">
        Go
      </Button>
    </form>
  );
}

interface EntriesProps {
  folder: Folder;
  onOpen: (name: string) => void;
  onDownload: (entry: FileEntry) => void;
  onAction: (action: FileAction) => void;
}

function Entries({ folder: { path, entries }, onOpen, onDownload, onAction }: EntriesProps) {
  if (entries.length === 0) return <EmptyState icon={IconFolder} title="Empty folder" text="This folder is empty." />;
  return (
    <ul className={classes.entries} aria-label={`Content of ${path}`}>
      {entries.map((entry) => (
        <li key={entry.name} className={classes.entry}>
          {entry.kind === "folder" ? (
            <button type="button" className={classes.folder} onClick={() => onOpen(entry.name)}>
              <IconFolder size={18} aria-hidden />
              <span>{entry.name}</span>
            </button>
          ) : (
            <>
              <span className={classes.file}>
                <IconFile size={18} aria-hidden />
                <span>{entry.name}</span>
              </span>
              <span className={classes.detail}>
                {entry.size === null ? "" : inBytes(entry.size)}
                {entry.modifiedAt !== null && (
                  <span className={classes.time}>
                    <RelativeTime moment={entry.modifiedAt.toISOString()} />
                  </span>
                )}
              </span>
            </>
          )}
          <Group gap={4} wrap="nowrap">
            {entry.kind !== "folder" && (
              <EntryButton label="Download" name={entry.name} icon={IconDownload} onClick={() => onDownload(entry)} />
            )}
            <EntryButton
              label="Rename"
              name={entry.name}
              icon={IconPencil}
              onClick={() => onAction({ kind: "rename", entry })}
            />
            <EntryButton
              label="Delete"
              name={entry.name}
              icon={IconTrash}
              onClick={() => onAction({ kind: "delete", entry })}
            />
          </Group>
        </li>
      ))}
    </ul>
  );
}

interface EntryButtonProps {
  label: string;
  name: string;
  icon: Icon;
  onClick: () => void;
}

function EntryButton({ label, name, icon: ButtonIcon, onClick }: EntryButtonProps) {
  return (
    <ActionIcon variant="default" aria-label={`${label}: ${name}`} title={label} onClick={onClick}>
      <ButtonIcon size={16} aria-hidden />
    </ActionIcon>
  );
}

function TransferRow({ transfer: { label, bytes, size, cancel } }: { transfer: Transfer }) {
  const percent = size === 0 ? 0 : Math.min(100, Math.round((bytes / size) * 100));
  return (
    <div className={classes.transfer}>
      <span className={classes.label}>{`${label}: ${inBytes(bytes)} of ${inBytes(size)}`}</span>
      <Progress className={classes.progress} value={percent} aria-label={label} />
      <ActionIcon variant="default" size="sm" aria-label={`Cancel: ${label}`} onClick={cancel}>
        <IconX size={14} aria-hidden />
      </ActionIcon>
    </div>
  );
}

type Work = (transfer: { onProgress: (bytes: number) => void; signal: AbortSignal }) => Promise<void>;

/** Transfers that are under way. They are cancelled when the dialog closes. */
function useTransfers() {
  const [transfers, setTransfers] = useState<readonly Transfer[]>([]);
  const next = useRef(1);
  const running = useRef(new Set<AbortController>());
  useEffect(() => {
    const all = running.current;
    return () => {
      for (const controller of all) controller.abort();
    };
  }, []);
  const run = (label: string, size: number, work: Work): void => {
    const id = next.current;
    next.current += 1;
    const controller = new AbortController();
    running.current.add(controller);
    const cancel = (): void => controller.abort();
    setTransfers((all) => [...all, { id, label, bytes: 0, size, cancel }]);
    let shownAt = 0;
    const onProgress = (bytes: number): void => {
      // Each packet is 32 kB: the screen need not follow every one.
      if (Date.now() - shownAt < 100 && bytes < size) return;
      shownAt = Date.now();
      setTransfers((all) => all.map((each) => (each.id === id ? { ...each, bytes } : each)));
    };
    work({ onProgress, signal: controller.signal })
      .catch((error: unknown) => {
        if (controller.signal.aborted) toast.success(`Cancelled: ${label}`);
        else toast.error(messageOf(error), { title: `Failed: ${label}` });
      })
      .finally(() => {
        running.current.delete(controller);
        setTransfers((all) => all.filter((each) => each.id !== id));
      });
  };
  return { transfers, run };
}
