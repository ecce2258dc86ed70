// Privileged sessions: users work on targets through a gateway and never see the secret.
export { sessionContextOf } from "./session-context.ts";
export type { SessionContext } from "./session-context.ts";
export { noteTraffic } from "./sessions.store.ts";
export type { SessionCounts, SessionEnd, SessionRow } from "./sessions.store.ts";
export { HEARTBEAT_SECONDS, beatGateway, registerGateway, unregisterGateway } from "./gateway/gateways.store.ts";
export type { GatewayFacts, Heartbeat } from "./gateway/gateways.store.ts";
export { endSession } from "./gateway/end-session.ts";
export { RECHECK_CHANNEL, recheckSessions } from "./gateway/recheck-sessions.ts";
export type { GoingOn, Recheck } from "./gateway/recheck-sessions.ts";
export { redeemTicket } from "./gateway/redeem-ticket.ts";
export type { OpenedSession, Redemption, WatchedSession } from "./gateway/redeem-ticket.ts";
export { gatewaySocket, recordingsFolder } from "./gateway/gateway-places.ts";
export { bindExisting as prepareSecrets } from "#features/secrets/index.ts";
export { closeRecording, openRecording, recordChunks, recordingKeyOf } from "./recordings/store-recording.ts";
export type { NewRecording, StoredChunk } from "./recordings/recordings.store.ts";
export type { RecordingEnd } from "./recordings/store-recording.ts";
