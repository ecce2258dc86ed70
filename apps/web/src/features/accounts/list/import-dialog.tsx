// "Import from CSV": choose a file, list invalid lines in a dry run, then import all lines or only the valid ones.
import { Alert, Button, FileButton, Group, Stack, Table } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconFileTypeCsv } from "@tabler/icons-react";
import { ACCOUNT_IMPORT_COLUMNS, type ReplyOf, type SafeId, type importAccounts } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { counted } from "#shared/format/text.ts";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { FailureAlert } from "#shared/ui/failure-alert.tsx";
import { SafeChoice } from "../actions/account-action-dialogs.tsx";
import { sendImport } from "../accounts.queries.ts";
import classes from "./import-dialog.module.css";

export interface ImportDialogProps {
  opened: boolean;
  onClose: () => void;
}

type ImportReport = ReplyOf<typeof importAccounts>;

export function ImportDialog({ opened, onClose }: ImportDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Import Accounts from CSV" size="lg" isShort>
      <Import onClose={onClose} />
    </Modal>
  );
}

/** The lines of the chosen file. INVARIANT: they hold secrets, so only this component keeps them, until it unmounts. */
interface Chosen {
  name: string;
  csv: string;
}

function Import({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [file, setFile] = useState<Chosen | null>(null);
  const [safeId, setSafeId] = useState<string | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function send(chosen: Chosen, safe: string | null, how: { dry_run: boolean; skip_bad_lines: boolean }) {
    setIsBusy(true);
    setFailure(null);
    try {
      const body = { csv: chosen.csv, ...how, ...(safe === null ? {} : { safe_id: safe as SafeId }) };
      const answer = await sendImport(client, body);
      setReport(answer);
      if (how.dry_run) return;
      toast.success(answer.message);
      onClose();
    } catch (error) {
      setReport(null);
      setFailure(messageOf(error, "Failed to import accounts"));
    } finally {
      setIsBusy(false);
    }
  }

  const check = (chosen: Chosen, safe: string | null) =>
    void send(chosen, safe, { dry_run: true, skip_bad_lines: false });

  async function choose(picked: File | null): Promise<void> {
    if (picked === null) return;
    const chosen = { name: picked.name, csv: await picked.text() };
    setFile(chosen);
    check(chosen, safeId);
  }

  return (
    <Stack gap="md">
      <p className={classes.hint}>
        The first line names the columns, in any order. Required: name, hostname, username, password and platform.
        Nothing is imported before you have seen the errors.
      </p>
      <CodeBlock code={ACCOUNT_IMPORT_COLUMNS.join(",")} label="column names" isWrapped />
      <SafeChoice
        value={safeId}
        onChange={(safe) => {
          setSafeId(safe);
          if (file !== null) check(file, safe);
        }}
      />
      <p className={classes.hint}>Used for lines without a safe.</p>
      <Group gap="sm">
        <FileButton accept=".csv,text/csv" onChange={(picked) => void choose(picked)}>
          {(props) => (
            <Button
              {...props}
              variant={file === null ? "filled" : "default"}
              leftSection={<IconFileTypeCsv size={16} aria-hidden />}
              loading={isBusy && report === null}
            >
              {file === null ? "Choose a File" : "Choose Another File"}
            </Button>
          )}
        </FileButton>
        {file !== null && <span className={classes.file}>{file.name}</span>}
      </Group>
      {failure !== null && <FailureAlert message={failure} />}
      {report !== null && <Report report={report} />}
      <DialogButtons>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {file !== null && report !== null && report.good > 0 && (
          <Button
            loading={isBusy}
            onClick={() => void send(file, safeId, { dry_run: false, skip_bad_lines: report.bad.length > 0 })}
          >
            {report.bad.length === 0
              ? `Import ${counted(report.good, "account")}`
              : `Skip Invalid Lines and Import ${counted(report.good, "account")}`}
          </Button>
        )}
      </DialogButtons>
    </Stack>
  );
}

function Report({ report }: { report: ImportReport }) {
  const lines = new Set(report.bad.map(({ line }) => line)).size;
  if (lines === 0) {
    return (
      <Alert color="green" variant="light" role="status" icon={<IconCircleCheck aria-hidden />}>
        {report.good === 0
          ? "The file has no lines to import."
          : `All ${counted(report.good, "line")} can be imported.`}
      </Alert>
    );
  }
  return (
    <>
      <Alert color="brass" variant="light" role="status" icon={<IconAlertTriangle aria-hidden />}>
        {counted(lines, "line")} cannot be imported, {report.good.toLocaleString()} can. Correct the file and choose it
        again, or skip the invalid lines.
      </Alert>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <div className={classes.table} tabIndex={0} role="region" aria-label="Invalid lines">
        <Table verticalSpacing={6} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Line</Table.Th>
              <Table.Th>Column</Table.Th>
              <Table.Th>Error</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {report.bad.map(({ line, field, message }, at) => (
              <Table.Tr key={`${line}/${field}/${at}`}>
                <Table.Td>{line}</Table.Td>
                <Table.Td>{field ?? "–"}</Table.Td>
                <Table.Td>{message}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  );
}
