// Privileged sessions: users work on targets through a gateway and never see the secret.
import type { Kernel } from "#kernel/kernel.ts";
import { endOrphans } from "./gateway/end-session.ts";
import { sweepLoginFailures } from "./gateway/login-failures.ts";
import { sessionContextOf } from "./session-context.ts";
import { rolePermissions } from "./sessions.policy.ts";
import { bindSessions } from "./sessions.routes.ts";
import { deleteExpiredRecordings } from "./retention/delete-recordings.ts";
import { bindTerminals } from "./terminal-upgrade.ts";
import { indexRecordings } from "./text/index-recordings.ts";

export interface SessionsFeature {
  /** Closes the terminals that this server passes on. The gateway keeps their sessions for a reconnect. */
  closeTerminals(): void;
}

export function installSessions(kernel: Kernel): SessionsFeature {
  const context = sessionContextOf(kernel);
  kernel.authority.grant(rolePermissions);
  bindSessions(kernel, context);
  kernel.jobs.define("sessions.end-orphans", { schedule: "* * * * *", policy: "exclusive" }, () => endOrphans(context));
  kernel.jobs.define("sessions.index-recordings", { schedule: "* * * * *", policy: "exclusive" }, ({ signal }) =>
    indexRecordings(kernel, signal),
  );
  kernel.jobs.define("sessions.delete-recordings", { schedule: "37 2 * * *", policy: "exclusive" }, ({ signal }) =>
    deleteExpiredRecordings(kernel, signal),
  );
  kernel.jobs.define("sessions.forget-login-failures", { schedule: "23 3 * * *", policy: "exclusive" }, () =>
    sweepLoginFailures(kernel.database.db),
  );
  return { closeTerminals: bindTerminals(kernel) };
}

export { searchableSessions } from "./monitoring/search-sessions.ts";
export { countLiveSessions } from "./monitoring/shown-sessions.store.ts";
export { sessionContextOf } from "./session-context.ts";
export type { SessionContext } from "./session-context.ts";
export { noteTraffic } from "./sessions.store.ts";
export type { SessionCounts, SessionEnd, SessionRow } from "./sessions.store.ts";
export { HEARTBEAT_SECONDS, beatGateway, registerGateway, unregisterGateway } from "./gateway/gateways.store.ts";
export type { GatewayFacts, Heartbeat } from "./gateway/gateways.store.ts";
export { endSession } from "./gateway/end-session.ts";
export { forgetLoginFailures, recordLoginFailure } from "./gateway/login-failures.ts";
export type { LoginAttempt } from "./gateway/login-failures.ts";
export { RECHECK_CHANNEL, recheckSessions } from "./gateway/recheck-sessions.ts";
export type { GoingOn, Recheck } from "./gateway/recheck-sessions.ts";
export { redeemTicket } from "./gateway/redeem-ticket.ts";
export type { OpenedSession, Redemption, WatchedSession } from "./gateway/redeem-ticket.ts";
export { raiseRisk } from "./risk/raise-risk.ts";
export { RELAY_TLS, relayKey } from "./gateway/relay.ts";
export { gatewaySocket, recordingsFolder } from "./gateway/gateway-socket.ts";
export { bindExisting as prepareSecrets } from "#features/secrets/index.ts";
export { gatewayHostKey } from "./native/host-key.ts";
export type { GatewayHostKey } from "./native/host-key.ts";
export { recordFileOperations } from "./native/file-operations.ts";
export { createNativeAccess } from "./native/native-access.ts";
export type { HeldTicket, Justification, NativeAccess, SignInStep, WaitingSignIn } from "./native/native-access.ts";
export type { KnownKey, NativeClient } from "./native/native-sign-in.ts";
export type { FoundTargets, TargetName } from "./native/find-targets.ts";
export { closeRecording, openRecording, recordChunksOf, recordingKeyOf } from "./recordings/store-recording.ts";
export { recordingStorage } from "./recordings/recording-storage.ts";
export { sessionsAbout } from "./recordings/recordings.store.ts";
export type { NewRecording, StoredChunk } from "./recordings/recordings.store.ts";
export type { RecordedChunks, RecordingEnd } from "./recordings/store-recording.ts";
