// The dialogs that confirm a decision, end, extension, mapping or review of a request.
import { Alert, Button, Group, Radio, Select, Stack, Textarea } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { AccessRequest } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useNow } from "#shared/format/now.ts";
import { duration, nearTime } from "#shared/format/time.ts";
import { Facts, type Fact } from "#shared/ui/facts.tsx";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { approval, denial, extension, mapping, review, revocation } from "../access-requests.queries.ts";
import { DEFAULT_MINUTES, EXTENSION_CHOICES } from "../durations.ts";
import { RESULTS, doneText, type RequestAct } from "../act-labels.ts";
import type { RequestDialog } from "../list/request-card.tsx";
import { readRequestAnswer } from "../read-request.ts";
import { approvalText, startText } from "../request-labels.ts";
import { ResourcePicker, type PickedResource } from "../request/resource-picker.tsx";

export interface DecisionDialogsProps {
  request: AccessRequest;
  dialog: RequestDialog | null;
  onClose: () => void;
}

/** Each dialog resets its inputs when it opens for another request. */
export function DecisionDialogs({ request, dialog, onClose }: DecisionDialogsProps) {
  const about = { request, onClose };
  const titles = {
    approve: "Approve Request",
    deny: "Deny Request",
    revoke: "Revoke Access",
    cancel: "Cancel Request",
  } as const;
  return (
    <>
      {(["approve", "deny", "revoke", "cancel"] as const).map((act) => (
        <Modal key={act} opened={dialog === act} onClose={onClose} title={titles[act]}>
          <CommentForm key={request.id} act={act} {...about} />
        </Modal>
      ))}
      <Modal opened={dialog === "extend"} onClose={onClose} title="Extend Access">
        <ExtendForm key={request.id} {...about} />
      </Modal>
      <Modal opened={dialog === "map"} onClose={onClose} title="Map to an account">
        <MapForm key={request.id} {...about} />
      </Modal>
      <Modal opened={dialog === "review"} onClose={onClose} title="Review emergency access">
        <ReviewForm key={request.id} {...about} />
      </Modal>
    </>
  );
}

interface FormProps {
  request: AccessRequest;
  onClose: () => void;
}

/** Mutation callbacks: success shows a toast and closes the dialog, failure shows the reason (JIT-36 to JIT-39). */
function told(act: RequestAct, onClose: () => void) {
  return {
    onSuccess: (reply: AccessRequest, isHere: boolean) => {
      toast.success(doneText(act, reply));
      if (isHere) onClose();
    },
    onError: (error: unknown) => toast.error(messageOf(error), { title: RESULTS[act].failed }),
  };
}

interface ActFormProps {
  label: string;
  color?: string;
  dismissLabel?: string;
  isBusy: boolean;
  isComplete?: boolean;
  onClose: () => void;
  onSend: () => void;
  children: ReactNode;
}

function ActForm({
  label,
  color,
  dismissLabel = "Cancel",
  isBusy,
  isComplete = true,
  onClose,
  onSend,
  children,
}: ActFormProps) {
  return (
    <FormStack
      label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) onSend();
      }}
    >
      {children}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={isBusy}>
          {dismissLabel}
        </Button>
        <Button type="submit" color={color} loading={isBusy} disabled={!isComplete}>
          {label}
        </Button>
      </Group>
    </FormStack>
  );
}

const plain = { margin: 0 };

/** The facts an approver needs for a decision. */
function decisionFacts(request: AccessRequest, now: number): Fact[] {
  const read = readRequestAnswer(request, now);
  const { pending_extension_minutes: extension } = request;
  return [
    { name: "Reason", value: read.reason },
    { name: "System", value: read.system ?? "Not specified" },
    { name: "Ticket", value: request.ticket ?? "None" },
    { name: "Starts", value: startText(request, now) },
    { name: "Duration", value: read.requestedDuration },
    ...(extension === null ? [] : [{ name: "Extension", value: duration(extension * 60) }]),
    ...(request.expires_at === null ? [] : [{ name: "Ends", value: nearTime(request.expires_at, now) }]),
  ];
}

export function CommentForm({ act, request, onClose }: FormProps & { act: "approve" | "deny" | "revoke" | "cancel" }) {
  const client = useQueryClient();
  const mutations = {
    approve: useMutation(approval(client, request.id)),
    deny: useMutation(denial(client, request.id)),
    revoke: useMutation(revocation(client, request.id)),
    cancel: useMutation(revocation(client, request.id)),
  };
  const { mutate, isPending } = mutations[act];
  const [comment, setComment] = useState("");
  const now = useNow();
  const sentences = {
    approve: (
      <>
        <strong>{request.username}</strong> requests access to <strong>{request.resource}</strong>.
      </>
    ),
    deny: (
      <>
        <strong>{request.username}</strong> does not get access to <strong>{request.resource}</strong>. One denial is
        final.
      </>
    ),
    revoke: (
      <>
        <strong>{request.username}</strong> loses access to <strong>{request.resource}</strong> at once.
      </>
    ),
    cancel: (
      <>
        Your request for <strong>{request.resource}</strong> is withdrawn. You can request access again.
      </>
    ),
  };
  const labels = { approve: "Approve", deny: "Deny", revoke: "Revoke", cancel: "Cancel Request" };
  const isDecision = act === "approve" || act === "deny";
  return (
    <ActForm
      label={labels[act]}
      color={act === "approve" ? undefined : "red"}
      dismissLabel={act === "cancel" ? "Keep Request" : undefined}
      isBusy={isPending}
      onClose={onClose}
      onSend={() => mutate(comment, told(act, onClose))}
    >
      <p style={plain}>{sentences[act]}</p>
      {isDecision && <Facts facts={decisionFacts(request, now)} />}
      {act === "approve" && request.approval !== null && (
        <p style={{ ...plain, color: "var(--mantine-color-dimmed)" }}>{approvalText(request.approval)}</p>
      )}
      <Textarea
        label="Comment"
        rows={2}
        resize="vertical"
        maxLength={1000}
        data-autofocus
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </ActForm>
  );
}

/** JIT-06, JIT-20, JIT-30. */
function ExtendForm({ request, onClose }: FormProps) {
  const { mutate, isPending } = useMutation(extension(useQueryClient(), request.id));
  const [minutes, setMinutes] = useState(String(DEFAULT_MINUTES));
  return (
    <ActForm
      label="Extend Access"
      isBusy={isPending}
      onClose={onClose}
      onSend={() => mutate(Number(minutes), told("extend", onClose))}
    >
      <p style={plain}>
        Extends your access to <strong>{request.resource}</strong>. If the platform requires it, an approver decides
        first.
      </p>
      <Select
        label="Additional time"
        data={EXTENSION_CHOICES}
        allowDeselect={false}
        value={minutes}
        onChange={(value) => value !== null && setMinutes(value)}
      />
    </ActForm>
  );
}

function MapForm({ request, onClose }: FormProps) {
  const { mutate, isPending } = useMutation(mapping(useQueryClient(), request.id));
  const [picked, setPicked] = useState<PickedResource>({ text: "", resource: null });
  const { resource } = picked;
  return (
    <ActForm
      label="Map"
      isBusy={isPending}
      isComplete={resource !== null}
      onClose={onClose}
      onSend={() => resource !== null && mutate(resource.account_id, told("map", onClose))}
    >
      <p style={plain}>
        <strong>{request.username}</strong> requests “{request.resource}”
        {request.system === null ? "" : ` on “${request.system}”`}: {request.business_justification}
      </p>
      <ResourcePicker label="Account" picked={picked} onPick={setPicked} />
    </ActForm>
  );
}

function ReviewForm({ request, onClose }: FormProps) {
  const { mutate, isPending } = useMutation(review(useQueryClient(), request.id));
  const [verdict, setVerdict] = useState<"justified" | "not_justified" | null>(null);
  const [comment, setComment] = useState("");
  return (
    <ActForm
      label="Save Review"
      isBusy={isPending}
      isComplete={verdict !== null && comment.trim() !== ""}
      onClose={onClose}
      onSend={() => verdict !== null && mutate({ verdict, comment }, told("review", onClose))}
    >
      <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        {request.username} accessed {request.resource} without approval: {request.business_justification}
      </Alert>
      <Radio.Group
        label="Was it justified?"
        required
        value={verdict ?? ""}
        onChange={(value) => setVerdict(value === "justified" ? "justified" : "not_justified")}
      >
        <Stack gap={6} mt={6}>
          <Radio value="justified" label="Justified" />
          <Radio value="not_justified" label="Not justified" />
        </Stack>
      </Radio.Group>
      <Textarea
        label="Findings"
        required
        rows={3}
        resize="vertical"
        maxLength={2000}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </ActForm>
  );
}
