// "Break Glass": opens an account in an emergency, in a separate red dialog that requires a reason.
import { Alert, TextInput, Textarea } from "@mantine/core";
import { IconFlame } from "@tabler/icons-react";
import type { RequestableAccount } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { paths } from "#shared/paths.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
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
    <Modal opened={opened} onClose={onClose} title="Break Glass: Emergency Access" size="lg">
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

interface BreakGlassValues {
  picked: PickedResource;
  reason: string;
  ticket: string;
}

const SHORTEST_REASON = 10;

const needsTicket = ({ picked }: BreakGlassValues): boolean => picked.resource?.ticket_required === true;

const isComplete = (values: BreakGlassValues): boolean =>
  values.picked.resource !== null &&
  values.reason.trim().length >= SHORTEST_REASON &&
  (!needsTicket(values) || values.ticket.trim() !== "");

function BreakGlassForm({ preset, onClose }: { preset: RequestableAccount | null; onClose: () => void }) {
  const { mutateAsync: open } = useMutation(emergencyAccess(useQueryClient()));
  const navigate = useNavigate();

  async function submit({ picked: { resource }, reason, ticket }: BreakGlassValues, isHere: () => boolean) {
    if (resource === null) return;
    await open({
      account_id: resource.account_id,
      reason,
      ...(ticket.trim() === "" ? {} : { ticket }),
      durationMinutes: resource.default_duration_minutes,
    });
    toast.success(`You now have access to ${resource.name}`);
    if (!isHere()) return;
    onClose();
    void navigate(paths.account(resource.account_id));
  }

  return (
    <Form<BreakGlassValues>
      label="Break Glass"
      initial={{ picked: { text: preset?.name ?? "", resource: preset }, reason: "", ticket: "" }}
      isDisabled={({ values }) => !isComplete(values)}
      failureText="Failed to open the account"
      submitLabel="Break Glass"
      submit={{ color: "red", leftSection: <IconFlame size={16} aria-hidden /> }}
      onCancel={onClose}
      onSubmit={submit}
    >
      {(form) => (
        <>
          <Alert color="red" variant="light" icon={<IconFlame aria-hidden />} title="Only in an emergency">
            You get access without approval. All approvers and administrators are alerted immediately, and another
            person reviews your access afterwards.
          </Alert>
          <ResourcePicker
            label="Account"
            picked={form.values.picked}
            onPick={(picked) => form.setFieldValue("picked", picked)}
            isOffered={({ may_break_glass: may }) => may}
          />
          <Textarea
            label="Why can this not wait?"
            description="At least one sentence. It is recorded permanently."
            required
            rows={3}
            resize="vertical"
            maxLength={2000}
            {...form.getInputProps("reason")}
          />
          <TextInput
            label={needsTicket(form.values) ? "Ticket" : "Ticket (optional)"}
            required={needsTicket(form.values)}
            maxLength={100}
            {...form.getInputProps("ticket")}
          />
        </>
      )}
    </Form>
  );
}
