// Sends a test to a sink while the user waits for the result.
import type { ReplyOf, testAuditSink } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { notFound } from "../audit-sinks.ts";
import { findSink } from "../audit-sinks.store.ts";
import { targetOf } from "./deliver.ts";
import { sendTest } from "./send.ts";
import type { AuditSinkContext } from "../context.ts";

/** Does not change the position of the sink. */
export async function testSink(
  context: AuditSinkContext,
  call: SteppedCall<typeof testAuditSink>,
  db: Db,
): Promise<ReplyOf<typeof testAuditSink>> {
  const sink = await findSink(db, call.params.id);
  if (sink === undefined) throw notFound();
  const { isTaken, message } = await sendTest(context, sink, call.signal);
  call.note({ target: targetOf(sink), result: isTaken ? "success" : "failure", details: { said: message } });
  await call.commit(async () => {});
  return { has_arrived: isTaken, message };
}
