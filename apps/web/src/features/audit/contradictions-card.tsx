// Contradictions of the audit trail, their evidence, and an administrator's decision.
import { Alert, Button, Checkbox, Stack } from "@mantine/core";
import { IconShieldX } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Contradiction, ReplyOf, listContradictions } from "@strongroom/contract";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { capitalised, counted } from "#shared/format/text.ts";
import { useUser } from "#shared/session/session-store.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { Form } from "#shared/ui/form.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./audit-page.module.css";
import { contradictions, decision } from "./audit.queries.ts";

type Shown = ReplyOf<typeof listContradictions>;

const REFRESH_MS = 15_000;

/** Renders nothing when there is no open and no decided contradiction. */
export function ContradictionsCard() {
  const asked = useQuery({ ...contradictions, refetchInterval: REFRESH_MS });
  if (asked.isError && asked.data === undefined) {
    return <ErrorState message={messageOf(asked.error)} onRetry={() => void asked.refetch()} />;
  }
  if (asked.data === undefined) return null;
  return (
    <>
      {asked.data.open.length > 0 && <OpenContradictions shown={asked.data} />}
      {asked.data.accepted.length > 0 && <Decisions accepted={asked.data.accepted} />}
    </>
  );
}

function OpenContradictions({ shown }: { shown: Shown }) {
  const { role } = useUser();
  const [isDeciding, setDeciding] = useState(false);
  const stops = shown.open.some(({ stops_signing }) => stops_signing);
  return (
    <Alert
      className={classes.result}
      color="red"
      variant="light"
      role="alert"
      icon={<IconShieldX aria-hidden />}
      title={`${counted(shown.open.length, "contradiction")} in the audit trail`}
    >
      <Stack gap="sm">
        <span>
          {stops
            ? "New entries are recorded but not signed until an administrator decides. The evidence is saved in the data folder."
            : "Everything else is signed as usual. The evidence is saved in the data folder."}
        </span>
        <ul className={classes.findings}>
          {shown.open.map((each) => (
            <Finding key={each.id} contradiction={each} />
          ))}
        </ul>
        {role === "admin" ? (
          <div>
            <Button color="red" variant="outline" onClick={() => setDeciding(true)}>
              Accept the Database as It Is
            </Button>
          </div>
        ) : (
          <span>Only an administrator can decide.</span>
        )}
      </Stack>
      <AcceptDialog shown={shown} opened={isDeciding} onClose={() => setDeciding(false)} />
    </Alert>
  );
}

function Finding({ contradiction }: { contradiction: Contradiction }) {
  const { message, found_at, known_checkpoint: known, stored_checkpoint: stored } = contradiction;
  return (
    <li>
      {capitalised(message)} (found <RelativeTime moment={found_at} />)
      {(known !== null || stored !== null) && (
        <details className={classes.details}>
          <summary>Show the checkpoints</summary>
          {known !== null && (
            <>
              <p className={classes.label}>Known outside the database</p>
              <CodeBlock code={known} label="known checkpoint" isWrapped />
            </>
          )}
          {stored !== null && (
            <>
              <p className={classes.label}>Latest in the database at that time</p>
              <CodeBlock code={stored} label="stored checkpoint" isWrapped />
            </>
          )}
        </details>
      )}
    </li>
  );
}

interface AcceptDialogProps {
  shown: Shown;
  opened: boolean;
  onClose: () => void;
}

function AcceptDialog({ shown, opened, onClose }: AcceptDialogProps) {
  const accept = useMutation(decision(useQueryClient()));
  return (
    <Modal opened={opened} onClose={onClose} title="Accept the Database as It Is">
      <Form
        initial={{ reason: "", isRead: false }}
        check={({ reason, isRead }) => ({
          ...(reason.trim() === "" ? { reason: "Enter a reason" } : {}),
          ...(isRead ? {} : { isRead: "Confirm this first" }),
        })}
        submitLabel="Accept"
        failureText="Failed to accept the database"
        onCancel={onClose}
        onSubmit={async ({ reason }) => {
          const ids = shown.open.map(({ id }) => id);
          await accept.mutateAsync({ ids, checkpoint: shown.checkpoint, reason: reason.trim() });
          toast.success("Accepted. Signing has resumed.");
          onClose();
        }}
      >
        {(form) => (
          <>
            <p>
              The log continues from the {counted(shown.size, "entry", "entries")} that are stored now. Do this only if
              you restored an older backup. If no backup was restored, the database was changed: first keep a copy of it
              and of the data folder.
            </p>
            <ReasonField
              description="Recorded with your name"
              required
              rows={3}
              maxLength={1000}
              {...form.getInputProps("reason")}
            />
            <Checkbox
              label="I have read the evidence. Missing or changed entries can no longer be proven."
              {...form.getInputProps("isRead", { type: "checkbox" })}
            />
          </>
        )}
      </Form>
    </Modal>
  );
}

function Decisions({ accepted }: { accepted: readonly Contradiction[] }) {
  return (
    <details className={classes.decisions}>
      <summary>{counted(accepted.length, "accepted contradiction")}</summary>
      <ul className={classes.findings}>
        {accepted.map(({ id, message, accepted_at, accepted_by, reason }) => (
          <li key={id}>
            {capitalised(message)}: accepted <RelativeTime moment={accepted_at} none="" /> by {accepted_by}, “{reason}”
          </li>
        ))}
      </ul>
    </details>
  );
}
