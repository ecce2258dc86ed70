// The dialogs that confirm a decision, end, extension, mapping or review of a request.
import { Alert, Radio, Select, Stack, Textarea } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { AccessRequest } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useNow } from "#shared/format/now.ts";
import { duration, nearTime } from "#shared/format/time.ts";
import { Facts, type Fact } from "#shared/ui/facts.tsx";
import { Form, type FormProps } from "#shared/ui/form.tsx";
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
      <Modal opened={dialog === "map"} onClose={onClose} title="Map to an Account">
        <MapForm key={request.id} {...about} />
      </Modal>
      <Modal opened={dialog === "review"} onClose={onClose} title="Review Emergency Access">
        <ReviewForm key={request.id} {...about} />
      </Modal>
    </>
  );
}

interface ActProps {
  request: AccessRequest;
  onClose: () => void;
}

interface ActFormProps<Values extends object> extends Pick<
  FormProps<Values>,
  "initial" | "submit" | "cancelLabel" | "isDisabled" | "children"
> {
  act: RequestAct;
  label: string;
  onClose: () => void;
  send: (values: Values) => Promise<AccessRequest>;
}

/** Success shows a toast and closes the dialog, failure shows the reason (JIT-36 to JIT-39). */
function ActForm<Values extends object>({ act, label, onClose, send, ...form }: ActFormProps<Values>) {
  return (
    <Form<Values>
      {...form}
      label={label}
      submitLabel={label}
      failureText={RESULTS[act].failed}
      onCancel={onClose}
      onSubmit={async (values, isHere) => {
        toast.success(doneText(act, await send(values)));
        if (isHere()) onClose();
      }}
    />
  );
}

/** Decides without the mouse: the field has the focus when the dialog opens. */
function submitsOnCtrlEnter(event: React.KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
}

const plain = { margin: 0 };

/** The facts that an approver needs for a decision. */
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

export function CommentForm({ act, request, onClose }: ActProps & { act: "approve" | "deny" | "revoke" | "cancel" }) {
  const client = useQueryClient();
  const mutations = {
    approve: useMutation(approval(client, request.id)),
    deny: useMutation(denial(client, request.id)),
    revoke: useMutation(revocation(client, request.id)),
    cancel: useMutation(revocation(client, request.id)),
  };
  const { mutateAsync: send } = mutations[act];
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
        <strong>{request.username}</strong> loses access to <strong>{request.resource}</strong> immediately.
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
      act={act}
      label={labels[act]}
      initial={{ comment: "" }}
      submit={act === "approve" ? {} : { color: "red" }}
      cancelLabel={act === "cancel" ? "Keep Request" : "Cancel"}
      onClose={onClose}
      send={({ comment }) => send(comment)}
    >
      {(form) => (
        <>
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
            description={isDecision ? "Ctrl+Enter confirms" : undefined}
            onKeyDown={submitsOnCtrlEnter}
            {...form.getInputProps("comment")}
          />
        </>
      )}
    </ActForm>
  );
}

/** JIT-06, JIT-20, JIT-30. */
function ExtendForm({ request, onClose }: ActProps) {
  const { mutateAsync: extend } = useMutation(extension(useQueryClient(), request.id));
  return (
    <ActForm
      act="extend"
      label="Extend Access"
      initial={{ minutes: String(DEFAULT_MINUTES) }}
      onClose={onClose}
      send={({ minutes }) => extend(Number(minutes))}
    >
      {(form) => (
        <>
          <p style={plain}>
            Extends your access to <strong>{request.resource}</strong>. If the platform requires it, an approver decides
            first.
          </p>
          <Select
            label="Additional time"
            data={EXTENSION_CHOICES}
            allowDeselect={false}
            {...form.getInputProps("minutes")}
          />
        </>
      )}
    </ActForm>
  );
}

function MapForm({ request, onClose }: ActProps) {
  const { mutateAsync: map } = useMutation(mapping(useQueryClient(), request.id));
  return (
    <ActForm<PickedResource>
      act="map"
      label="Map"
      initial={{ text: "", resource: null }}
      isDisabled={({ values }) => values.resource === null}
      onClose={onClose}
      send={({ resource }) =>
        resource === null ? Promise.reject(new Error("Choose an account.")) : map(resource.account_id)
      }
    >
      {(form) => (
        <>
          <p style={plain}>
            <strong>{request.username}</strong> requests “{request.resource}”
            {request.system === null ? "" : ` on “${request.system}”`}: {request.business_justification}
          </p>
          <ResourcePicker label="Account" picked={form.values} onPick={(picked) => form.setValues(picked)} />
        </>
      )}
    </ActForm>
  );
}

interface ReviewValues {
  verdict: "justified" | "not_justified" | "";
  comment: string;
}

function ReviewForm({ request, onClose }: ActProps) {
  const { mutateAsync: save } = useMutation(review(useQueryClient(), request.id));
  return (
    <ActForm<ReviewValues>
      act="review"
      label="Save Review"
      initial={{ verdict: "", comment: "" }}
      isDisabled={({ values }) => values.verdict === "" || values.comment.trim() === ""}
      onClose={onClose}
      send={({ verdict, comment }) => save({ verdict: verdict === "justified" ? verdict : "not_justified", comment })}
    >
      {(form) => (
        <>
          <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            {request.username} accessed {request.resource} without approval: {request.business_justification}
          </Alert>
          <Radio.Group label="Was it justified?" required {...form.getInputProps("verdict")}>
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
            {...form.getInputProps("comment")}
          />
        </>
      )}
    </ActForm>
  );
}
