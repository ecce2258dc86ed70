// Asks for the reason and ticket that an account's platform requires for retrieving its password.
import { Button, Group, Stack, TextInput, Textarea } from "@mantine/core";
import type { Account } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { activePlatforms, type Justification } from "../accounts.queries.ts";

export interface JustificationDialogProps {
  account: Account;
  opened: boolean;
  isBusy: boolean;
  /** The server's message about the missing field. */
  demand: string;
  onClose: () => void;
  onGiven: (justification: Justification) => void;
}

export function JustificationDialog(props: JustificationDialogProps) {
  const { account, opened, onClose } = props;
  return (
    <Modal opened={opened} onClose={onClose} title="Why do you need access?">
      <Questions key={account.id} {...props} />
    </Modal>
  );
}

function Questions({ account, isBusy, demand, onClose, onGiven }: JustificationDialogProps) {
  const platforms = useQuery(activePlatforms);
  const [{ reason, ticket }, setGiven] = useState<Justification>({ reason: "", ticket: "" });
  const platform = platforms.data?.platforms.find(({ id }) => id === account.platform_id);
  const needsTicket = platform?.ticket_required === true;
  const needsReason = platform?.reason_required !== false;
  const isComplete = (!needsReason || reason.trim() !== "") && (!needsTicket || ticket.trim() !== "");
  return (
    <FormStack
      label="Why do you need access?"
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) onGiven({ reason, ticket });
      }}
    >
      <Stack gap={4}>
        <p style={{ margin: 0 }} role="status">
          {demand}
        </p>
        <p style={{ margin: 0, color: "var(--mantine-color-dimmed)" }}>
          Recorded in the audit trail with your retrieval of <strong>{account.name}</strong>.
        </p>
      </Stack>
      <Textarea
        label="Reason"
        required={needsReason}
        maxLength={500}
        rows={2}
        resize="vertical"
        data-autofocus
        value={reason}
        onChange={(event) => setGiven({ reason: event.currentTarget.value, ticket })}
      />
      <TextInput
        label="Ticket"
        required={needsTicket}
        maxLength={100}
        value={ticket}
        onChange={(event) => setGiven({ reason, ticket: event.currentTarget.value })}
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={isBusy}>
          Cancel
        </Button>
        <Button type="submit" loading={isBusy} disabled={!isComplete}>
          Copy Password
        </Button>
      </Group>
    </FormStack>
  );
}
