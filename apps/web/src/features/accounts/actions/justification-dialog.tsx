// Asks for the reason and ticket that an account's platform requires for retrieving its password.
import { Stack, TextInput } from "@mantine/core";
import type { Account } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Form } from "#shared/ui/form.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { activePlatforms, type Justification } from "../accounts.queries.ts";

export interface JustificationDialogProps extends DialogProps {
  account: Account;
  /** The server's message about the missing field. */
  demand: string;
  submitLabel: string;
  onGiven: (justification: Justification) => Promise<void>;
}

export function JustificationDialog(props: JustificationDialogProps) {
  const { account, opened, onClose } = props;
  return (
    <Modal opened={opened} onClose={onClose} title="Why do you need access?">
      <Questions key={account.id} {...props} />
    </Modal>
  );
}

function Questions({ account, demand, submitLabel, onClose, onGiven }: JustificationDialogProps) {
  const platforms = useQuery(activePlatforms);
  const platform = platforms.data?.platforms.find(({ id }) => id === account.platform_id);
  const needsTicket = platform?.ticket_required === true;
  const needsReason = platform?.reason_required !== false;
  return (
    <Form<Justification>
      label="Why do you need access?"
      initial={{ reason: "", ticket: "" }}
      isDisabled={({ values: { reason, ticket } }) =>
        (needsReason && reason.trim() === "") || (needsTicket && ticket.trim() === "")
      }
      submitLabel={submitLabel}
      onCancel={onClose}
      onSubmit={onGiven}
    >
      {(form) => (
        <>
          <Stack gap={4}>
            <p style={{ margin: 0 }} role="status">
              {demand}
            </p>
            <p style={{ margin: 0, color: "var(--mantine-color-dimmed)" }}>
              Recorded in the audit trail with your retrieval of <strong>{account.name}</strong>.
            </p>
          </Stack>
          <ReasonField required={needsReason} {...form.getInputProps("reason")} />
          <TextInput label="Ticket" required={needsTicket} maxLength={100} {...form.getInputProps("ticket")} />
        </>
      )}
    </Form>
  );
}
