// The dialogs that terminate a session and send a message to its user.
import { TextInput } from "@mantine/core";
import type { PrivilegedSession } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { Form } from "#shared/ui/form.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { nameOf } from "./session-labels.ts";
import { sendMessage, terminate } from "./sessions.queries.ts";

export interface SessionDialogProps extends DialogProps {
  session: PrivilegedSession;
}

export function TerminateDialog({ session, ...dialog }: SessionDialogProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      {...dialog}
      title="Terminate Session"
      initial={{ reason: "" }}
      submitLabel="Terminate"
      failureText="Failed to terminate the session"
      save={({ reason }) => terminate(client, session.id, reason.trim())}
      done={({ message }) => message}
    >
      {(props) => (
        <Form
          {...props}
          label="Terminate Session"
          submit={{ color: "red" }}
          isDisabled={({ values }) => values.reason.trim() === ""}
        >
          {(form) => (
            <>
              <p style={{ margin: 0 }}>
                The session of <strong>{nameOf(session)}</strong> ends immediately. Unsaved work in it is lost.
              </p>
              <ReasonField
                description="Shown to the user and recorded in the audit trail"
                required
                {...form.getInputProps("reason")}
              />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}

export function MessageDialog({ session, ...dialog }: SessionDialogProps) {
  return (
    <FormDialog
      {...dialog}
      title="Message to the User"
      initial={{ text: "" }}
      submitLabel="Send"
      failureText="Failed to send the message"
      save={({ text }) => sendMessage(session.id, text.trim())}
      done={({ message }) => message}
    >
      {(props) => (
        <Form {...props} label="Message to the User" isDisabled={({ values }) => values.text.trim() === ""}>
          {(form) => (
            <TextInput
              label="Message"
              description={`Shown in the terminal of ${nameOf(session)}`}
              required
              maxLength={300}
              data-autofocus
              {...form.getInputProps("text")}
            />
          )}
        </Form>
      )}
    </FormDialog>
  );
}
