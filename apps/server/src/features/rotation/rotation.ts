// Maps rotation rows to API replies, audit targets and live events.
import type { Rotation, RotationId } from "@strongroom/contract";
import type { Audience } from "#kernel/events/audience.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { moment } from "#kernel/moment.ts";
import type { RotationRow, ShownRotation } from "./rotation.store.ts";

/** The same refusal for a missing rotation and for one the actor may not see. */
export const notFound = (): Refusal => refuse(404, "rotation.not-found", "Rotation not found");

export function toRotation(row: ShownRotation): Rotation {
  const isGoingOn = row.state === "waiting" || row.state === "queued";
  return {
    id: row.id as RotationId,
    secret_id: row.credential_id,
    is_account: row.user_id === null,
    name: row.credential_name,
    state: row.state,
    step: row.step,
    by: row.journal.by,
    because: row.because,
    asked_by: row.asked_by?.name ?? "Strongroom",
    message: row.message,
    code: row.code,
    tries: row.tries,
    next_at: isGoingOn ? moment(row.next_at) : null,
    started_at: row.started_at.toISOString(),
    ended_at: moment(row.ended_at),
  };
}

type Named = Pick<RotationRow, "credential_id" | "user_id" | "credential_name">;

/** The audit target of a rotated credential or account. */
export const targetIn = ({ credential_id: id, user_id, credential_name: name }: Named) => ({
  type: user_id === null ? "account" : "credential",
  id,
  name,
});

/** The live event for users who may see the credential or account. */
export const changed = (
  row: Named & Pick<RotationRow, "id">,
  state: Rotation["state"],
  message: string,
  audience: Audience,
): NewEvent => ({
  type: "rotation.changed",
  audience,
  data: {
    rotation_id: row.id,
    secret_id: row.credential_id,
    is_account: row.user_id === null,
    name: row.credential_name,
    state,
    message,
  },
});
