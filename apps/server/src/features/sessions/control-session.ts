// Terminates sessions, pauses their input and sends messages to their users.
import type {
  Message,
  messagePrivilegedSession,
  pausePrivilegedSession,
  terminatePrivilegedSession,
} from "@strongroom/contract";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { actionsFor, requireShown } from "./monitoring/find-sessions.ts";
import type { ShownSession } from "./monitoring/shown-sessions.store.ts";
import { notifyTerminated } from "./risk/notify-sessions.ts";
import { detailsOf, publishChange, targetOf } from "./session-context.ts";
import type { SessionContext } from "./session-context.ts";
import { lockSession } from "./sessions.store.ts";
import { notAllowed } from "./start-session.ts";

/** Gateways show what is sent on this channel to the session's user: JSON with `session_id`, `from` and `text`. */
const MESSAGE_CHANNEL = "session_message";

/** The gateway is notified when the transaction commits, and closes the session. */
export async function terminate(
  { kernel }: SessionContext,
  call: Call<typeof terminatePrivilegedSession>,
  tx: Tx,
): Promise<Message> {
  const { reason } = call.body;
  const row = await requireAction(call, tx, "terminate");
  call.note({ reason });
  await sql`
    update sessions set terminated_at = access_time(), terminated_by = ${call.actor.id}, terminated_why = ${reason}
    where id = ${row.id} and terminated_at is null`.execute(tx);
  await notifyTerminated(kernel, tx, row, call.actor);
  return { message: `The session of ${row.user_name} on "${row.account_name}" is being ended` };
}

/** The gateway is notified when the transaction commits. */
export async function pauseInput(
  context: SessionContext,
  call: Call<typeof pausePrivilegedSession>,
  tx: Tx,
): Promise<Message> {
  const { is_paused: isPaused } = call.body;
  const row = await requireAction(call, tx, "pause");
  call.note({ details: { ...detailsOf(row), is_paused: isPaused } });
  await tx
    .updateTable("sessions")
    .set({ input_paused_by: isPaused ? call.actor.id : null })
    .where("id", "=", row.id)
    .execute();
  await publishChange(context, tx, row, "active");
  return { message: `The input of ${row.user_name} is ${isPaused ? "paused" : "no longer paused"}` };
}

export async function sendMessage(call: Call<typeof messagePrivilegedSession>, tx: Tx): Promise<Message> {
  const row = await requireAction(call, tx, "message");
  const message = JSON.stringify({ session_id: row.id, from: call.actor.name, text: call.body.text });
  await sql`select pg_notify(${MESSAGE_CHANNEL}, ${message})`.execute(tx);
  return { message: `${row.user_name} sees your message` };
}

async function requireAction(
  call:
    | Call<typeof terminatePrivilegedSession>
    | Call<typeof messagePrivilegedSession>
    | Call<typeof pausePrivilegedSession>,
  tx: Tx,
  action: "terminate" | "message" | "pause",
): Promise<ShownSession> {
  const { id } = call.params;
  call.note({ target: { type: "privileged-session", id } });
  await lockSession(tx, id);
  const row = await requireShown(tx, call.actor, id);
  call.note({ target: targetOf(row), details: detailsOf(row) });
  if (row.status === "completed") throw refuse(409, "privileged-session.ended", "This session has ended.");
  if (!actionsFor(row, call.actor).includes(action)) throw notAllowed();
  return row;
}
