// "Break Glass": opens an account in an emergency, in a separate red dialog that requires a reason.
import { Alert, Button, Group, TextInput, Textarea } from "@mantine/core";
import { IconFlame } from "@tabler/icons-react";
import type { RequestableAccount } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { emergencyAccess, requestableAccount } from "../access-requests.queries.ts";
import { ResourcePicker, type PickedResource } from "./resource-picker.tsx";

export interface BreakGlassDialogProps {
  opened: boolean;
  /** The preselected account. */
  accountId: string | null;
  onClose: () => void;
}

export function BreakGlassDialog({ opened, accountId, onClose }: BreakGlassDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Break Glass: emergency access" size="lg">
      {accountId === null ? (
        <BreakGlassForm preset={null} onClose={onClose} />
      ) : (
        <PresetForm accountId={accountId} onClose={onClose} />
      )}
    </Modal>
  );
}

function PresetForm({ accountId, onClose }: { accountId: string; onClose: () => void }) {
  const found = useQuery(requestableAccount(accountId));
  if (found.isPending) return <SectionLoading />;
  return <BreakGlassForm preset={found.data?.resources[0] ?? null} onClose={onClose} />;
}

const SHORTEST_REASON = 10;

function BreakGlassForm({ preset, onClose }: { preset: RequestableAccount | null; onClose: () => void }) {
  const { mutate, isPending } = useMutation(emergencyAccess(useQueryClient()));
  const navigate = useNavigate();
  const [picked, setPicked] = useState<PickedResource>({ text: preset?.name ?? "", resource: preset });
  const [reason, setReason] = useState("");
  const [ticket, setTicket] = useState("");
  const { resource } = picked;
  const needsTicket = resource?.ticket_required === true;
  const isExplained = reason.trim().length >= SHORTEST_REASON && (!needsTicket || ticket.trim() !== "");
  const isComplete = resource !== null && isExplained;

  function open(): void {
    if (resource === null) return;
    const body = {
      account_id: resource.account_id,
      reason,
      ...(ticket.trim() === "" ? {} : { ticket }),
      durationMinutes: resource.default_duration_minutes,
    };
    mutate(body, {
      onSuccess: (_, isHere) => {
        toast.success(`You now have access to ${resource.name}`);
        if (!isHere) return;
        onClose();
        void navigate(paths.account(resource.account_id));
      },
      onError: (error) => toast.error(messageOf(error), { title: "Failed to open the account" }),
    });
  }

  return (
    <FormStack
      label="Break Glass"
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) open();
      }}
    >
      <Alert color="red" variant="light" icon={<IconFlame aria-hidden />} title="Only in an emergency">
        You get access without approval. All approvers and administrators are alerted at once, and another person
        reviews your access afterwards.
      </Alert>
      <ResourcePicker
        label="Account"
        picked={picked}
        onPick={setPicked}
        isOffered={({ may_break_glass: may }) => may}
      />
      <Textarea
        label="Why can this not wait?"
        description="At least one sentence. It is recorded permanently."
        required
        rows={3}
        resize="vertical"
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <TextInput
        label={needsTicket ? "Ticket" : "Ticket (optional)"}
        required={needsTicket}
        maxLength={100}
        value={ticket}
        onChange={(event) => setTicket(event.currentTarget.value)}
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={isPending}>
          Cancel
        </Button>
        <Button
          type="submit"
          color="red"
          leftSection={<IconFlame size={16} aria-hidden />}
          loading={isPending}
          disabled={!isComplete}
        >
          Break Glass
        </Button>
      </Group>
    </FormStack>
  );
}
