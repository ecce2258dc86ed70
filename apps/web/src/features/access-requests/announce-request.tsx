// Tells who can decide on an access request that it is there, so that they can decide at once; and sounds the alarm of a broken glass.
import { Button, Group } from "@mantine/core";
import { approveAccessRequest, denyAccessRequest, readAccessRequest } from "@strongroom/contract";
import type { AccessRequest, LiveEvent } from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "#app/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { call } from "#shared/api/call.ts";
import { toast } from "#shared/ui/toast.ts";
import { refreshRequests } from "./access-requests.queries.ts";
import { RESULTS } from "./act-words.ts";

type RequestEvent = Extract<LiveEvent, { type: "access-request.changed" }>["data"];

export interface Announcer {
  client: QueryClient;
  /** Who is signed in here. */
  userId: string;
  navigate: (to: string) => void;
}

const toastId = (id: string): string => `access-request-${id}`;
/** Long enough to be read; an alarm stays until somebody has seen it. */
const SHOWN_MS = 60_000;

/** Never throws: what cannot be had now is on the page. */
export async function announceRequest(event: RequestEvent, announcer: Announcer): Promise<void> {
  const { request_id: id, change, requester_id: requesterId } = event;
  if (requesterId === announcer.userId) return tellRequester(event);
  if (change === "broken-glass") return alarm(event, announcer);
  if (change === "created" || change === "mapped" || change === "extended") return offer(id, announcer);
  // Somebody else decided: the question has gone.
  if (change !== "approved") toast.dismiss(toastId(id));
}

function tellRequester({ request_id: id, change, resource, status }: RequestEvent): void {
  const about = { id: toastId(id) };
  if (change === "granted" || change === "started") toast.success(`You may use ${resource} now`, about);
  if (change === "denied" && status === "denied") toast.error(`Your request for ${resource} was denied`, about);
  if (change === "ended") toast.custom(`Your access to ${resource} has ended`, about);
}

function alarm({ request_id: id, requester, resource }: RequestEvent, { navigate }: Announcer): void {
  const look = () => {
    toast.dismiss(`${toastId(id)}-alarm`);
    navigate(paths.accessRequest(id));
  };
  toast.error(
    <>
      {requester} opened {resource} without an approval.
      <Group gap="xs" mt={8}>
        <Button size="compact-sm" color="red" variant="light" onClick={look}>
          Look at it
        </Button>
      </Group>
    </>,
    { id: `${toastId(id)}-alarm`, duration: false, title: "Alarm: break-glass access" },
  );
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
  const { id, username, resource, business_justification: reason } = request;

  async function decide(act: "approve" | "deny"): Promise<void> {
    setIsBusy(true);
    try {
      await call(act === "approve" ? approveAccessRequest : denyAccessRequest, { params: { id }, body: {} });
      toast.dismiss(toastId(id));
      toast.success(RESULTS[act].done);
    } catch (error) {
      setIsBusy(false);
      toast.error(messageOf(error), { title: RESULTS[act].failed });
    }
    await refreshRequests(announcer.client);
  }

  const look = () => {
    toast.dismiss(toastId(id));
    announcer.navigate(paths.accessRequest(id));
  };
  return (
    <>
      {username} asks for {resource}: {reason}
      <Group gap="xs" mt={8}>
        <Button size="compact-sm" onClick={() => void decide("approve")} disabled={isBusy}>
          Approve
        </Button>
        <Button size="compact-sm" color="red" variant="light" onClick={() => void decide("deny")} disabled={isBusy}>
          Deny
        </Button>
        <Button size="compact-sm" variant="default" onClick={look}>
          Look at it
        </Button>
      </Group>
    </>
  );
}
