// Forwards a browser's WebSocket to the gateway of its session, byte by byte, after the same checks as for other calls.
import { openSessionTerminal, openSessionWatch } from "@strongroom/contract";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { implementUpgrade } from "#kernel/http/upgrade.ts";
import type { UpgradeCall } from "#kernel/http/upgrade.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { isTokenActive } from "./gateway/redeem-ticket.ts";
import { connectToGateway } from "./gateway/relay.ts";
import { readUser } from "./gateway/session-users.store.ts";
import { actionsFor, requireShown } from "./monitoring/find-sessions.ts";
import { readShownSession } from "./monitoring/shown-sessions.store.ts";
import { notFound } from "./session-context.ts";
import { notAllowed } from "./start-session.ts";

const CHECK_EVERY_MS = 1000;

type Terminal = Call<typeof openSessionTerminal> | Call<typeof openSessionWatch>;

/** Returns a function that closes all terminals. */
export function bindTerminals(kernel: Kernel): () => void {
  const open = new Set<Duplex>();
  const serve = (isWatcher: boolean) => async (call: Terminal, upgrade: UpgradeCall) => {
    requireSameOrigin(kernel, upgrade.request);
    const row = await requireShown(kernel.database.db, call.actor, call.params.id);
    if (row.status === "completed") throw refuse(409, "privileged-session.ended", "This session has ended.");
    if (isWatcher && !actionsFor(row, call.actor).includes("watch")) throw notAllowed();
    if (!isWatcher && row.user_id !== call.actor.id) throw notFound();
    const gateway = await connectToGateway(kernel, row.gateway_id);
    gateway.write(requestTo(upgrade.request, call.request.ip));
    const { socket, head } = upgrade.take();
    gateway.write(head);
    join(socket, gateway);
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    if (isWatcher) closeWithRight(kernel, call, socket);
    if (socket.destroyed) gateway.destroy();
  };
  implementUpgrade(kernel, openSessionTerminal, serve(false));
  implementUpgrade(kernel, openSessionWatch, serve(true));
  return () => {
    for (const socket of open) socket.destroy();
  };
}

/**
 * INVARIANT: a watcher who may no longer watch is disconnected within two seconds. Signing out does not disconnect: a
 * sign-in can end by inactivity while its user watches.
 */
function closeWithRight(kernel: Kernel, { actor, params }: Terminal, socket: Duplex): void {
  const { db } = kernel.database;
  let isChecking = false;
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer);
    if (isChecking) return;
    isChecking = true;
    mayContinue(db, actor, params.id)
      .then((may) => may || socket.destroy())
      .catch((error: unknown) => kernel.log.warn({ err: error }, "the right of a watcher could not be checked"))
      .finally(() => (isChecking = false));
  }, CHECK_EVERY_MS);
  socket.once("close", () => clearInterval(timer));
}

/** The gateway itself tells watchers that a session has ended. */
async function mayContinue(db: Db, actor: Actor, id: string): Promise<boolean> {
  const { status, role } = await readUser(db, actor.id);
  if (status !== "active") return false;
  if (actor.token !== null && !(await isTokenActive(db, actor.token.id))) return false;
  const viewer = { ...actor, role };
  const row = await readShownSession(db, viewer, id);
  return row !== null && (row.status === "completed" || actionsFor(row, viewer).includes("watch"));
}

/** INVARIANT: the cookie opens a terminal only for a page of this server (cross-site WebSocket hijacking). */
function requireSameOrigin(kernel: Kernel, { headers }: IncomingMessage): void {
  // Browsers always send an origin, and cannot send a token.
  if (headers.origin === undefined && headers.authorization !== undefined) return;
  const own = [`http://${headers.host}`, `https://${headers.host}`, new URL(kernel.publicUrl()).origin];
  if (headers.origin !== undefined && own.includes(headers.origin)) return;
  throw refuse(403, "request.other-origin", "Terminals can only be opened from Strongroom's own pages.");
}

const FORWARDED = /^(upgrade|connection|sec-websocket-(key|version|extensions|protocol))$/;

/** The request without credentials, with the client's address as this server knows it. */
function requestTo({ url, headers }: IncomingMessage, address: string): string {
  const kept = Object.entries(headers).filter(([name]) => FORWARDED.test(name));
  const lines = kept.map(([name, value]) => `${name}: ${String(value)}`);
  const path = (url ?? "").split("?", 1)[0];
  const all = [`GET ${path} HTTP/1.1`, "host: gateway", ...lines, `x-strongroom-client-address: ${address}`];
  return `${all.join("\r\n")}\r\n\r\n`;
}

function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
}
