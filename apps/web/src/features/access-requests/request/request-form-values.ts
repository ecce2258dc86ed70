// Values, validation and payload of the request form (JIT-19, JIT-27).
import type { InputOf, createAccessRequest } from "@strongroom/contract";
import type { PickedResource } from "./resource-picker.tsx";

export interface RequestFormValues {
  picked: PickedResource;
  system: string;
  reason: string;
  ticket: string;
  /** The label of a choice. */
  duration: string;
  /** The value of a `datetime-local` input, in the local time zone; empty starts immediately. */
  startsAt: string;
}

export type RequestFormErrors = Partial<Record<"picked" | "reason" | "ticket" | "startsAt", string>>;

const isBlank = (text: string): boolean => text.trim() === "";

export function checkRequest(
  { picked, reason, ticket, startsAt }: RequestFormValues,
  now = Date.now(),
): RequestFormErrors {
  const errors: RequestFormErrors = {};
  if (isBlank(picked.text)) errors.picked = "Resource is required";
  if (isBlank(reason)) errors.reason = "Business justification is required";
  if (picked.resource?.ticket_required === true && isBlank(ticket)) errors.ticket = "Ticket is required";
  if (!isBlank(startsAt) && !(Date.parse(startsAt) > now)) errors.startsAt = "The start time is in the past";
  return errors;
}

type Sent = NonNullable<InputOf<typeof createAccessRequest>["body"]>;

export function payloadOf(values: RequestFormValues, minutes: number): Sent {
  const { picked, system, reason, ticket, startsAt } = values;
  return {
    resource: picked.text.trim(),
    reason: reason.trim(),
    durationMinutes: minutes,
    ...(picked.resource === null ? {} : { account_id: picked.resource.account_id }),
    ...(picked.resource !== null || isBlank(system) ? {} : { system: system.trim() }),
    ...(isBlank(ticket) ? {} : { ticket: ticket.trim() }),
    ...(isBlank(startsAt) ? {} : { starts_at: new Date(startsAt).toISOString() }),
  };
}
