// The dialogs that place and release the legal hold on a recording.
import { Textarea } from "@mantine/core";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { Form } from "#shared/ui/form.tsx";
import type { SessionDialogProps } from "./session-dialogs.tsx";
import { nameOf } from "./session-labels.ts";
import { holdRecording, releaseRecording } from "./sessions.queries.ts";

export const HoldDialog = (props: SessionDialogProps) => (
  <ReasonDialog
    {...props}
    title="Legal Hold"
    submitLabel="Place Hold"
    failureText="Failed to place the legal hold"
    save={holdRecording}
  >
    The recording of <strong>{nameOf(props.session)}</strong> is kept, whatever the retention of the platform, until the
    hold is released.
  </ReasonDialog>
);

export const ReleaseDialog = (props: SessionDialogProps) => (
  <ReasonDialog
    {...props}
    title="Release Legal Hold"
    submitLabel="Release Hold"
    failureText="Failed to release the legal hold"
    save={releaseRecording}
    isRisky
  >
    The retention of the platform applies again to the recording of <strong>{nameOf(props.session)}</strong>, at the
    earliest in 7 days. Administrators and the auditors of the safe are notified.
  </ReasonDialog>
);

interface ReasonDialogProps extends SessionDialogProps {
  title: string;
  submitLabel: string;
  failureText: string;
  save: (
    client: QueryClient,
    id: SessionDialogProps["session"]["id"],
    reason: string,
  ) => ReturnType<typeof holdRecording>;
  isRisky?: boolean;
  children: ReactNode;
}

function ReasonDialog({ session, title, save, isRisky = false, children, ...dialog }: ReasonDialogProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      {...dialog}
      title={title}
      initial={{ reason: "" }}
      save={({ reason }) => save(client, session.id, reason.trim())}
      done={({ message }) => message}
    >
      {(props) => (
        <Form
          {...props}
          label={title}
          {...(isRisky ? { submit: { color: "red" } } : {})}
          isDisabled={({ values }) => values.reason.trim() === ""}
        >
          {(form) => (
            <>
              <p style={{ margin: 0 }}>{children}</p>
              <Textarea
                label="Reason"
                description="Recorded in the audit trail"
                required
                maxLength={500}
                rows={2}
                resize="vertical"
                data-autofocus
                {...form.getInputProps("reason")}
              />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
