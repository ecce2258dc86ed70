// Notifies approvers of access requests, with buttons to decide in the toast, and of emergency access with an alarm.
import { Button, Group } from "@mantine/core";
import { approveAccessRequest, denyAccessRequest, readAccessRequest } from "@strongroom/contract";
import type { AccessRequest, LiveEvent } from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { call } from "#shared/api/call.ts";
import { toast } from "#shared/ui/toast.ts";
import { refreshRequests } from "./access-requests.queries.ts";
import { RESULTS, doneText } from "./act-labels.ts";
import { decisionSummary } from "./request-labels.ts";

type RequestEvent = Extract<LiveEvent, { type: "access-request.changed" }>["data"];

export interface Announcer {
  client: QueryClient;
  /** The signed-in user. */
  userId: string;
  navigate: (to: string) => void;
}

const toastId = (id: string): string => `access-request-${id}`;
/** For requests; an alarm stays until the user dismisses it. */
const SHOWN_MS = 60_000;

/** Never throws: a failed read is ignored, since the page shows the request anyway. */
export async function announceRequest(event: RequestEvent, announcer: Announcer): Promise<void> {
  const { request_id: id, change, requester_id: requesterId } = event;
  if (requesterId === announcer.userId) {
    // A request that was never granted has no access that could end.
    if (change === "ended" && !(await wasGranted(id))) return;
    return notifyRequester(event);
  }
  if (change === "broken-glass") return alarm(event, announcer);
  if (change === "created" || change === "mapped" || change === "extended") return offer(id, announcer);
  // Another approver decided, so the toast is obsolete.
  if (change !== "approved") toast.dismiss(toastId(id));
}

function notifyRequester({ request_id: id, change, resource, status }: RequestEvent): void {
  const about = { id: toastId(id) };
  if (change === "granted" || change === "started") toast.success(`You now have access to ${resource}`, about);
  if (change === "denied" && status === "denied") toast.error(`Your request for ${resource} was denied`, about);
  if (change === "ended") toast.custom(`Your access to ${resource} has ended`, about);
}

function alarm({ request_id: id, requester, resource }: RequestEvent, { navigate }: Announcer): void {
  const look = () => {
    toast.dismiss(`${toastId(id)}-alarm`);
    navigate(paths.reviewRequest(id));
  };
  toast.error(
    <>
      {requester} accessed {resource} without approval.
      <Group gap="xs" mt={8}>
        <Button size="compact-sm" color="red" variant="light" onClick={look}>
          View Request
        </Button>
      </Group>
    </>,
    { id: `${toastId(id)}-alarm`, duration: false, title: "Alert: emergency access" },
  );
}

async function wasGranted(id: RequestEvent["request_id"]): Promise<boolean> {
  const request = await call(readAccessRequest, { params: { id } }, { isBackground: true }).catch(() => null);
  return request === null || request.expires_at !== null;
}

async function offer(id: RequestEvent["request_id"], announcer: Announcer): Promise<void> {
  const request = await call(readAccessRequest, { params: { id } }, { isBackground: true }).catch(() => null);
  if (request === null || !request.can.includes("approve")) return;
  toast.custom(<Question request={request} announcer={announcer} />, {
    id: toastId(id),
    duration: SHOWN_MS,
    title: request.pending_extension_minutes === null ? "Access request" : "Extension request",
  });
}

function Question({ request, announcer }: { request: AccessRequest; announcer: Announcer }) {
  const [isBusy, setIsBusy] = useState(false);
  const [shownAt] = useState(Date.now);
  const { id, username, resource, business_justification: reason } = request;

  async function decide(act: "approve" | "deny"): Promise<void> {
    setIsBusy(true);
    try {
      const reply = await call(act === "approve" ? approveAccessRequest : denyAccessRequest, {
        params: { id },
        body: {},
      });
      toast.dismiss(toastId(id));
      toast.success(doneText(act, reply));
    } catch (error) {
      setIsBusy(false);
      toast.error(messageOf(error), { title: RESULTS[act].failed });
    }
    await refreshRequests(announcer.client);
  }

  const look = () => {
    toast.dismiss(toastId(id));
    announcer.navigate(paths.reviewRequest(id));
  };
  return (
    <>
      {username} requests {resource}: {reason}
      <div>{decisionSummary(request, shownAt)}</div>
      <Group gap="xs" mt={8}>
        <Button size="compact-sm" onClick={() => void decide("approve")} disabled={isBusy}>
          Approve
        </Button>
        <Button size="compact-sm" color="red" variant="light" onClick={() => void decide("deny")} disabled={isBusy}>
          Deny
        </Button>
        <Button size="compact-sm" variant="default" onClick={look}>
          View Request
        </Button>
      </Group>
    </>
  );
}
