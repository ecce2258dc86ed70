// Routes of sessions and gateways.
import {
  GatewayId,
  drainGateway,
  exportSessionRecording,
  holdSessionRecording,
  listGateways,
  listPrivilegedSessions,
  listSessionActivity,
  listSessionChoices,
  messagePrivilegedSession,
  pausePrivilegedSession,
  readPrivilegedSession,
  readAccessRequestRisk,
  readAccountWatch,
  readSessionRecording,
  readSshAccess,
  releaseSessionRecording,
  searchRecordings,
  startPrivilegedSession,
  terminatePrivilegedSession,
  watchAccount,
  watchPrivilegedSession,
} from "@strongroom/contract";
import type { Gateway } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { pauseInput, sendMessage, terminate } from "./control-session.ts";
import { readGateways, setDraining } from "./gateway/gateways.store.ts";
import type { GatewayRow } from "./gateway/gateways.store.ts";
import { findActivity, findChoices, findSessions, readOne } from "./monitoring/find-sessions.ts";
import { describeSshAccess } from "./native/describe-access.ts";
import { readRequestRisk } from "./risk/start-facts.ts";
import { holdRecording, releaseRecording } from "./retention/hold-recording.ts";
import { findInRecordings } from "./text/search-recordings.ts";
import { exportSealed, play } from "./recordings/read-recording.ts";
import type { SessionContext } from "./session-context.ts";
import { startSession, watchSession } from "./start-session.ts";
import { changeWatch, readWatch } from "./watched/watched-accounts.ts";

export function bindSessions(kernel: Kernel, context: SessionContext): void {
  implement(kernel, listPrivilegedSessions, findSessions);
  implement(kernel, listSessionActivity, findActivity);
  implement(kernel, listSessionChoices, findChoices);
  implement(kernel, readPrivilegedSession, readOne);
  implement(kernel, startPrivilegedSession, (call, tx) => startSession(context, call, tx));
  implement(kernel, watchPrivilegedSession, watchSession);
  implement(kernel, readAccessRequestRisk, readRequestRisk);
  implement(kernel, readAccountWatch, (call, db) => readWatch(context, call, db));
  implement(kernel, watchAccount, (call, tx) => changeWatch(context, call, tx));
  implement(kernel, terminatePrivilegedSession, (call, tx) => terminate(context, call, tx));
  implement(kernel, messagePrivilegedSession, sendMessage);
  implement(kernel, pausePrivilegedSession, (call, tx) => pauseInput(context, call, tx));
  implementDownload(kernel, readSessionRecording, (call, db) => play(kernel, call, db));
  implementDownload(kernel, exportSessionRecording, (call, db) => exportSealed(kernel, call, db));
  implement(kernel, holdSessionRecording, (call, tx) => holdRecording(context, call, tx));
  implement(kernel, releaseSessionRecording, (call, tx) => releaseRecording(context, call, tx));
  implement(kernel, searchRecordings, (call, tx) => findInRecordings(kernel, call, tx));
  implement(kernel, readSshAccess, (_call, db) => describeSshAccess(kernel, db));
  implement(kernel, listGateways, async (_call, db) => ({ gateways: (await readGateways(db)).map(toGateway) }));
  implement(kernel, drainGateway, async (call, tx) => {
    const { id } = call.params;
    const { is_draining: isDraining } = call.body;
    call.note({ target: { type: "gateway", id }, details: { is_draining: isDraining } });
    const gateway = await setDraining(tx, id, isDraining);
    if (gateway === null) throw refuse(404, "gateway.not-found", "Gateway not found");
    call.note({ target: { type: "gateway", id, name: gateway.name } });
    const state = isDraining ? "accepts no new sessions" : "starts sessions again";
    return { message: `"${gateway.name}" ${state}` };
  });
}

const toGateway = (row: GatewayRow): Gateway => ({
  id: GatewayId.parse(row.id),
  name: row.name,
  address: row.address,
  zone: row.zone,
  version: row.version,
  started_at: row.started_at.toISOString(),
  heartbeat_at: row.heartbeat_at.toISOString(),
  status: statusOf(row),
  problem: row.problem,
  live_sessions: row.live_sessions,
});

function statusOf({ is_alive, is_draining, problem }: GatewayRow): Gateway["status"] {
  if (!is_alive) return "lost";
  if (is_draining) return "draining";
  return problem === null ? "ready" : "blocked";
}
