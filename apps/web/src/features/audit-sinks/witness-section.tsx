// This installation as a witness: its key, and the other logs it watches.
import { Button, TextInput } from "@mantine/core";
import { IconDownload, IconEye, IconTrash } from "@tabler/icons-react";
import type { WitnessedLog } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrorsOf } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { Form } from "#shared/ui/form.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { saveFile } from "#shared/ui/save-file.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import classes from "./audit-sinks.module.css";
import { logRemoval, logAddition, witness } from "./audit-sinks.queries.ts";

export function WitnessSection({ canManage }: { canManage: boolean }) {
  const query = useQuery(witness);
  const [isAdding, setIsAdding] = useState(false);
  const [forgotten, setForgotten] = useState<WitnessedLog | null>(null);
  return (
    <SectionCard
      title="Witness for Others"
      description="Keeps the latest checkpoint of other logs, so that rewriting one of them is detected here"
      actions={
        canManage && (
          <Button
            variant="default"
            size="compact-md"
            leftSection={<IconEye size={15} aria-hidden />}
            onClick={() => setIsAdding(true)}
          >
            Watch a Log
          </Button>
        )
      }
    >
      <Loaded query={query} failureText="Failed to load the witness">
        {({ witness_key, logs }) => (
          <>
            <CodeBlock code={witness_key} label="witness key" isWrapped />
            {logs.length > 0 && (
              <div className={classes.logs}>
                <RowList label="Watched logs">
                  {logs.map((log) => (
                    <Log key={log.id} log={log} onForget={canManage ? () => setForgotten(log) : null} />
                  ))}
                </RowList>
              </div>
            )}
          </>
        )}
      </Loaded>
      <WatchDialog opened={isAdding} onClose={() => setIsAdding(false)} />
      {forgotten !== null && <ForgetDialog key={forgotten.id} log={forgotten} onClose={() => setForgotten(null)} />}
    </SectionCard>
  );
}

function Log({ log, onForget }: { log: WitnessedLog; onForget: (() => void) | null }) {
  const { name, origin, size, checkpoint, cosigned_at, contradiction } = log;
  const save = () => saveFile(`${name}.note`, new Blob([checkpoint ?? ""], { type: "text/plain" }));
  return (
    <Row
      name={
        <>
          {name}
          {contradiction !== null ? (
            <StatusBadge status="failed" label="Contradicted" />
          ) : (
            <StatusBadge
              status={checkpoint === null ? "pending" : "verified"}
              label={checkpoint === null ? "No checkpoint yet" : "Consistent"}
            />
          )}
        </>
      }
      actions={
        <>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            aria-label={`Save the checkpoint of ${name}`}
            onClick={save}
            disabled={checkpoint === null}
          >
            Checkpoint
          </Button>
          {onForget !== null && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconTrash size={14} aria-hidden />}
              aria-label={`Forget ${name}`}
              onClick={onForget}
            >
              Forget
            </Button>
          )}
        </>
      }
    >
      <RowDetail>
        {origin} · {counted(size, "entry", "entries")} · cosigned <RelativeTime moment={cosigned_at} none="never" />
      </RowDetail>
      {contradiction !== null && (
        <p className={classes.alarm}>
          {contradiction.message} <RelativeTime moment={contradiction.at} />
        </p>
      )}
    </Row>
  );
}

const FIELDS = ["name", "verifier_key"] as const;
type Field = (typeof FIELDS)[number];
type WatchValues = Record<Field, string>;
const isField = (path: string): path is Field => FIELDS.some((field) => field === path);

function WatchDialog(props: DialogProps) {
  const { mutateAsync: watch } = useMutation(logAddition(useQueryClient()));
  return (
    <FormDialog<WatchValues, unknown>
      {...props}
      title="Watch a Log"
      initial={{ name: "", verifier_key: "" }}
      submitLabel="Watch"
      failureText="Failed to add the log"
      save={watch}
      done="Log added"
    >
      {(given) => (
        <Form
          {...given}
          check={({ name, verifier_key }) => ({
            ...(name.trim() === "" ? { name: "Name is required" } : {}),
            ...(verifier_key.trim() === "" ? { verifier_key: "Log key is required" } : {}),
          })}
          objectionsIn={(error) => fieldErrorsOf(error, isField)}
        >
          {(form) => (
            <>
              <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
              <TextInput
                label="Log key"
                required
                description="The output of “strongroom audit key” on that server"
                spellCheck={false}
                {...form.getInputProps("verifier_key")}
              />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}

function ForgetDialog({ log, onClose }: { log: WitnessedLog; onClose: () => void }) {
  return (
    <DeleteDialog
      opened
      title="Forget the Log"
      confirmLabel="Forget"
      mutation={logRemoval(useQueryClient(), log.id)}
      done="Log removed"
      failed="Failed to forget the log"
      onClose={onClose}
    >
      <p>
        The checkpoint of <strong>{log.name}</strong> reveals whether that log was rewritten. It is deleted too; only
        this installation's audit trail keeps a copy.
      </p>
    </DeleteDialog>
  );
}
