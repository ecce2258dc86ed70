// WebSockets: an upgrade takes the same path as every other call, and its handler takes over the connection.
import type { Endpoint, StreamReply } from "@strongroom/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import { ServerResponse } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Kernel } from "../kernel.ts";
import type { Call } from "./call.ts";
import { refuse } from "./refuse.ts";
import { route } from "./route.ts";

interface Upgrade {
  socket: Socket;
  /** The bytes that the client sent after its request. */
  head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** For the HTTP server's `shouldUpgradeCallback`; other upgrades are ignored, as RFC 9110 §7.8 allows. */
export const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

/** Routes upgrades like other calls: a refusal is answered with problem details, and the connection is closed. */
export function routeUpgrades(http: FastifyInstance): void {
  http.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    upgrades.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on("finish", () => socket.end());
    http.routing(request, response);
  });
}

export interface UpgradeCall {
  readonly request: IncomingMessage;
  /** Takes over the connection. From now on, only the caller writes to it. */
  take(): Upgrade;
}

/** Binds a WebSocket. Until `serve` takes the connection, refusals are answered as for other calls. */
export function implementUpgrade<E extends Endpoint & { reply: StreamReply }>(
  kernel: Kernel,
  endpoint: E,
  serve: (call: Call<E>, upgrade: UpgradeCall) => Promise<void>,
): void {
  route(kernel, endpoint, async (call, _reply, raw: FastifyReply) => {
    const request = raw.request.raw;
    const upgrade = upgrades.get(request);
    if (upgrade === undefined) throw refuse(426, "request.upgrade-required", "Connect to this path with a WebSocket.");
    await serve(call, {
      request,
      take() {
        raw.hijack();
        raw.raw.detachSocket(upgrade.socket);
        return upgrade;
      },
    });
  });
}
