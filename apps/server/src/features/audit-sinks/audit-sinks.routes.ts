// Routes of the audit sinks and witness APIs.
import {
  addCheckpoint,
  addWitnessedLog,
  createAuditSink,
  deleteAuditSink,
  listAuditSinks,
  readWitness,
  removeWitnessedLog,
  switchAuditSink,
  testAuditSink,
  updateAuditSink,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { implementPlain } from "#kernel/http/stream.ts";
import { showSinks } from "./audit-sinks.ts";
import { addSink, deleteSink, editSink, switchSink } from "./edit-sink.ts";
import type { AuditSinkContext } from "./context.ts";
import { testSink } from "./delivery/test-sink.ts";
import { forgetLog, showWitness, takeCheckpoint, watchLog } from "./witness/witness.ts";

export function bindAuditSinks(context: AuditSinkContext): void {
  const { kernel } = context;
  implement(kernel, listAuditSinks, (_call, db) => showSinks(context, db));
  implement(kernel, createAuditSink, (call, tx) => addSink(context, call, tx));
  implement(kernel, updateAuditSink, (call, tx) => editSink(context, call, tx));
  implement(kernel, switchAuditSink, (call, tx) => switchSink(context, call, tx));
  implementInSteps(kernel, testAuditSink, (call, db) => testSink(context, call, db));
  implement(kernel, deleteAuditSink, deleteSink);
  implement(kernel, readWitness, (_call, db) => showWitness(context, db));
  implement(kernel, addWitnessedLog, (call, tx) => watchLog(context, call, tx));
  implement(kernel, removeWitnessedLog, forgetLog);
  implementPlain(kernel, addCheckpoint, (call) => takeCheckpoint(context, call));
}
