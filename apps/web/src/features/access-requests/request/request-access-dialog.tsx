// "Request Just-in-Time Access" (JIT-05, JIT-19, JIT-27, JIT-28): the request form with its platform's requirements.
import { Alert, Button, Group, Select, TextInput, Textarea } from "@mantine/core";
import { IconAlertTriangle, IconFlame } from "@tabler/icons-react";
import type { AccountId, RequestableAccount } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { creation, requestableAccount } from "../access-requests.queries.ts";
import { minutesOf, requestChoices, usualChoice } from "../durations.ts";
import classes from "../list/jit-access-page.module.css";
import { createFailureTitle } from "../load-failure.ts";
import { checkRequest, payloadOf, type RequestFormErrors, type RequestFormValues } from "./request-form-values.ts";
import { duration } from "#shared/format/time.ts";
import { counted } from "#shared/format/text.ts";
import { toneStyle } from "#shared/ui/tone.ts";
import type { PickedResource } from "./resource-picker.tsx";
import { ResourcePicker } from "./resource-picker.tsx";

export interface RequestAccessDialogProps {
  opened: boolean;
  /** The account preselected by a link. */
  accountId: string | null;
  onClose: () => void;
  onBreakGlass: (accountId: AccountId) => void;
}

export function RequestAccessDialog({ opened, accountId, onClose, onBreakGlass }: RequestAccessDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Request Just-in-Time Access" size="lg">
      {accountId === null ? (
        <RequestForm preset={null} onClose={onClose} onBreakGlass={onBreakGlass} />
      ) : (
        <PresetForm accountId={accountId} onClose={onClose} onBreakGlass={onBreakGlass} />
      )}
    </Modal>
  );
}

type Parts = Pick<RequestAccessDialogProps, "onClose" | "onBreakGlass">;

function PresetForm({ accountId, ...parts }: Parts & { accountId: string }) {
  const found = useQuery(requestableAccount(accountId));
  if (found.isPending) return <SectionLoading />;
  // The lookup finds only requestable accounts; otherwise the field stays empty.
  return <RequestForm preset={found.data?.resources[0] ?? null} {...parts} />;
}

const LONGEST = 10_080;

function RequestForm({ preset, onClose, onBreakGlass }: Parts & { preset: RequestableAccount | null }) {
  const create = useMutation(creation(useQueryClient()));
  const [values, setValues] = useState<RequestFormValues>({
    picked: { text: preset?.name ?? "", resource: preset },
    system: "",
    reason: "",
    ticket: "",
    duration: usualChoice(requestChoices(preset?.max_duration_minutes ?? LONGEST)),
    startsAt: "",
  });
  const [errors, setErrors] = useState<RequestFormErrors>({});
  const { resource } = values.picked;
  const choices = requestChoices(resource?.max_duration_minutes ?? LONGEST);

  function change(part: Partial<RequestFormValues>): void {
    setErrors({});
    create.reset();
    setValues((before) => {
      const next = { ...before, ...part };
      const left = requestChoices(next.picked.resource?.max_duration_minutes ?? LONGEST);
      return left.includes(next.duration) ? next : { ...next, duration: usualChoice(left) };
    });
  }

  function send(): void {
    const wrong = checkRequest(values);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return;
    create.mutate(payloadOf(values, minutesIn(values.duration, resource)), {
      onSuccess: ({ status }, isHere) => {
        toast.success(status === "pending" ? "Access request submitted" : "Access granted");
        if (isHere) onClose();
      },
      onError: (error, isHere) => {
        if (!isHere) toast.error(messageOf(error), { title: createFailureTitle(error) });
      },
    });
  }

  return (
    <FormStack
      label="Request Just-in-Time Access"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {create.isError && (
        <Alert
          color="red"
          variant="light"
          role="alert"
          icon={<IconAlertTriangle aria-hidden />}
          title={createFailureTitle(create.error)}
        >
          {messageOf(create.error)}
        </Alert>
      )}
      <ResourcePicker
        label="Resource"
        picked={values.picked}
        error={errors.resource}
        onPick={(picked) => change({ picked })}
      />
      <PlatformRequirements picked={values.picked} />
      {resource === null && (
        <TextInput
          label="System details (optional)"
          maxLength={200}
          value={values.system}
          onChange={(event) => change({ system: event.currentTarget.value })}
        />
      )}
      <Textarea
        label="Business justification"
        required
        rows={3}
        resize="vertical"
        maxLength={2000}
        error={errors.reason}
        value={values.reason}
        onChange={(event) => change({ reason: event.currentTarget.value })}
      />
      <div className={classes.two}>
        <Select
          label="Duration"
          data={choices}
          allowDeselect={false}
          value={values.duration}
          onChange={(duration) => duration !== null && change({ duration })}
        />
        <TextInput
          label={resource?.ticket_required ? "Ticket" : "Ticket (optional)"}
          required={resource?.ticket_required ?? false}
          maxLength={100}
          error={errors.ticket}
          value={values.ticket}
          onChange={(event) => change({ ticket: event.currentTarget.value })}
        />
        <TextInput
          label="Start time (optional)"
          type="datetime-local"
          description="Empty: starts immediately"
          error={errors.startsAt}
          value={values.startsAt}
          onChange={(event) => change({ startsAt: event.currentTarget.value })}
        />
      </div>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={create.isPending}>
          Cancel
        </Button>
        <Button type="submit" loading={create.isPending}>
          Submit Request
        </Button>
      </Group>
      {resource?.may_break_glass && (
        <div className={classes.emergency}>
          <p>An emergency that cannot wait for approval?</p>
          <Button
            variant="light"
            color="red"
            leftSection={<IconFlame size={16} aria-hidden />}
            onClick={() => onBreakGlass(resource.account_id)}
          >
            Break Glass
          </Button>
        </div>
      )}
    </FormStack>
  );
}

/** A platform with a maximum below all choices offers only that maximum. */
function minutesIn(choice: string, resource: RequestableAccount | null): number {
  return Math.min(minutesOf(choice), resource?.max_duration_minutes ?? LONGEST);
}

function PlatformRequirements({ picked }: { picked: PickedResource }) {
  const { resource, text } = picked;
  if (resource === null) {
    if (text.trim() === "") return null;
    return (
      <div className={classes.demand} style={toneStyle("neutral")} role="status">
        <p>Not selected from the list: an administrator will assign an account.</p>
      </div>
    );
  }
  const isClosed = resource.approvals.some(({ needed, eligible }) => eligible < needed);
  return (
    <div className={classes.demand} style={toneStyle(isClosed ? "warning" : "info")} role="status">
      {resource.approvals.length === 0 && <p>No approval needed: access is granted at once.</p>}
      {resource.approvals.map(({ level, needed, eligible }) => (
        <p key={level}>
          Level {level}: {counted(needed, "approval")} needed,{" "}
          {eligible === 0 ? "but no approver is available" : `${counted(eligible, "person", "people")} can approve`}.
        </p>
      ))}
      {isClosed && <p>The request waits until there are enough approvers.</p>}
      <p>At most {duration(resource.max_duration_minutes * 60)}.</p>
    </div>
  );
}
