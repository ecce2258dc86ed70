// Binds the calls about sinks and about being a witness.
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
import type { Site } from "./site.ts";
import { testSink } from "./test-sink.ts";
import { forgetLog, showWitness, takeCheckpoint, watchLog } from "./witness.ts";

export function bindAuditSinks(site: Site): void {
  const { kernel } = site;
  implement(kernel, listAuditSinks, (_call, db) => showSinks(site, db));
  implement(kernel, createAuditSink, (call, tx) => addSink(site, call, tx));
  implement(kernel, updateAuditSink, (call, tx) => editSink(site, call, tx));
  implement(kernel, switchAuditSink, (call, tx) => switchSink(site, call, tx));
  implementInSteps(kernel, testAuditSink, (call, db) => testSink(site, call, db));
  implement(kernel, deleteAuditSink, deleteSink);
  implement(kernel, readWitness, (_call, db) => showWitness(site, db));
  implement(kernel, addWitnessedLog, (call, tx) => watchLog(site, call, tx));
  implement(kernel, removeWitnessedLog, forgetLog);
  implementPlain(kernel, addCheckpoint, (call) => takeCheckpoint(site, call));
}
