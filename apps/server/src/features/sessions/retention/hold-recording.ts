// Places and releases legal holds on recordings.
import type { Message, holdSessionRecording, releaseSessionRecording } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { actionsFor, requireShown } from "../monitoring/find-sessions.ts";
import type { ShownSession } from "../monitoring/shown-sessions.store.ts";
import { notifyReleased } from "../risk/notify-sessions.ts";
import { detailsOf, notFound, publishChange, targetOf } from "../session-context.ts";
import type { SessionContext } from "../session-context.ts";
import { lockSession } from "../sessions.store.ts";
import { notAllowed } from "../start-session.ts";
import { placeHold, releaseHold } from "./retention.store.ts";

type HoldCall = Call<typeof holdSessionRecording> | Call<typeof releaseSessionRecording>;

const nameOf = ({ user_name, account_name }: ShownSession): string => `${user_name} on "${account_name}"`;

/** Throws 409 when there is a hold already, or when the deletion of the recording has begun. */
export async function holdRecording(
  context: SessionContext,
  call: Call<typeof holdSessionRecording>,
  tx: Tx,
): Promise<Message> {
  const { reason } = call.body;
  const { row, recordingId } = await requireHoldable(call, tx, "hold");
  call.note({ reason });
  if (!(await placeHold(tx, recordingId, call.actor.name, reason))) throw deletionBegan();
  await publishChange(context, tx, row, row.status === "completed" ? "completed" : "active");
  return { message: `The recording of ${nameOf(row)} has a legal hold` };
}

/** The audit trail keeps the hold and its reason. */
export async function releaseRecording(
  context: SessionContext,
  call: Call<typeof releaseSessionRecording>,
  tx: Tx,
): Promise<Message> {
  const { reason } = call.body;
  const { row, recordingId } = await requireHoldable(call, tx, "release");
  call.note({
    reason,
    details: { ...detailsOf(row), recording: recordingId, held_by: row.held_by, held_because: row.held_why },
  });
  await releaseHold(tx, recordingId);
  await notifyReleased(context.kernel, tx, row, call.actor);
  await publishChange(context, tx, row, row.status === "completed" ? "completed" : "active");
  return { message: `The recording of ${nameOf(row)} no longer has a legal hold` };
}

async function requireHoldable(call: HoldCall, tx: Tx, action: "hold" | "release") {
  const { id } = call.params;
  call.note({ target: { type: "privileged-session", id } });
  // Holds of one recording are placed and released one after another.
  await lockSession(tx, id);
  const row = await requireShown(tx, call.actor, id);
  const { recording_id: recordingId } = row;
  call.note({ target: targetOf(row), details: { ...detailsOf(row), recording: recordingId } });
  if (recordingId === null) throw notFound();
  if (row.recording_deleted_at !== null) throw deletionBegan();
  if (!actionsFor(row, call.actor).includes(action)) {
    if (action === "hold" && row.held_at !== null) throw isHeld();
    if (action === "release" && row.held_at === null) throw notHeld();
    throw notAllowed();
  }
  return { row, recordingId };
}

const deletionBegan = () => refuse(409, "recording.deletion-began", "The deletion of this recording has begun.");

const isHeld = () => refuse(409, "recording.held", "This recording already has a legal hold.");

const notHeld = () => refuse(409, "recording.not-held", "This recording has no legal hold.");
