// "Request Just-in-Time Access" (JIT-05, JIT-19, JIT-27, JIT-28): the request form with its platform's requirements.
import { Button, Group, Select, TextInput, Textarea } from "@mantine/core";
import { IconFlame } from "@tabler/icons-react";
import type { UseFormReturnType } from "@mantine/form";
import type { AccountId, RequestableAccount } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Form } from "#shared/ui/form.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { creation, requestableAccount } from "../access-requests.queries.ts";
import { minutesOf, requestChoices, usualChoice } from "../durations.ts";
import classes from "../list/jit-access-page.module.css";
import { createFailureTitle } from "../load-failure.ts";
import { periodText, startChoices, startLimits } from "./start-choices.ts";
import { checkRequest, payloadOf, type RequestFormValues } from "./request-form-values.ts";
import { useNow } from "#shared/format/now.ts";
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
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  const first: RequestFormValues = {
    picked: { text: preset?.name ?? "", resource: preset },
    system: "",
    reason: "",
    ticket: "",
    duration: usualChoice(choicesFor(preset)),
    startsAt: "",
  };

  async function submit(values: RequestFormValues, isHere: () => boolean): Promise<void> {
    const { status } = await create(payloadOf(values, minutesIn(values.duration, values.picked.resource)));
    toast.success(status === "pending" ? "Access request submitted" : "Access granted");
    if (isHere()) onClose();
  }

  return (
    <Form
      label="Request Just-in-Time Access"
      initial={first}
      check={checkRequest}
      failureText={(error) => ({ title: createFailureTitle(error), message: messageOf(error) })}
      submitLabel="Submit Request"
      onCancel={onClose}
      onSubmit={submit}
      renderBelow={({ values: { picked } }) => <Emergency picked={picked} onBreakGlass={onBreakGlass} />}
    >
      {(form) => <RequestFields form={form} />}
    </Form>
  );
}

function RequestFields({ form }: { form: UseFormReturnType<RequestFormValues> }) {
  const { picked, duration: chosen, startsAt } = form.values;
  const { resource } = picked;
  const now = useNow();
  const period = periodText(startsAt, minutesIn(chosen, resource));

  function pick(next: PickedResource): void {
    const choices = choicesFor(next.resource);
    form.setValues({ picked: next, duration: choices.includes(chosen) ? chosen : usualChoice(choices) });
  }

  return (
    <>
      <ResourcePicker label="Resource" {...form.getInputProps("picked")} picked={picked} onPick={pick} />
      <PlatformRequirements picked={picked} />
      {resource === null && (
        <TextInput label="System details (optional)" maxLength={200} {...form.getInputProps("system")} />
      )}
      <Textarea
        label="Business justification"
        required
        rows={3}
        resize="vertical"
        maxLength={2000}
        {...form.getInputProps("reason")}
      />
      <div className={classes.two}>
        <Select
          label="Duration"
          data={choicesFor(resource)}
          allowDeselect={false}
          {...form.getInputProps("duration")}
        />
        <TextInput
          label={resource?.ticket_required ? "Ticket" : "Ticket (optional)"}
          required={resource?.ticket_required ?? false}
          maxLength={100}
          {...form.getInputProps("ticket")}
        />
        <TextInput
          label="Start time (optional)"
          type="datetime-local"
          description="Empty: starts immediately"
          {...startLimits(now)}
          {...form.getInputProps("startsAt")}
        />
      </div>
      <Group gap="xs" role="group" aria-label="Start">
        {startChoices(now).map(({ label, value }) => (
          <Button
            key={label}
            size="compact-sm"
            variant={form.values.startsAt === value ? "filled" : "default"}
            aria-pressed={form.values.startsAt === value}
            onClick={() => form.setFieldValue("startsAt", value)}
          >
            {label}
          </Button>
        ))}
      </Group>
      {period !== null && <p className={classes.optionMore}>{period}</p>}
    </>
  );
}

function Emergency({ picked: { resource }, onBreakGlass }: Pick<Parts, "onBreakGlass"> & { picked: PickedResource }) {
  if (!resource?.may_break_glass) return null;
  return (
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
  );
}

const choicesFor = (resource: RequestableAccount | null): string[] =>
  requestChoices(resource?.max_duration_minutes ?? LONGEST);

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
      {resource.approvals.length === 0 && <p>No approval needed: access is granted immediately.</p>}
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
