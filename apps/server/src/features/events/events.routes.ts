// Streams live events to a browser: filtered by what the caller may see, resumable, and open only while the session is.
import { LiveEvent, checkEvents, streamEvents } from "@strongroom/contract";
import type { FastifyReply } from "fastify";
import { once } from "node:events";
import { mayBeSeenBy } from "#kernel/events/audience.ts";
import type { StoredEvent, Subscription } from "#kernel/events/events.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { proofOf } from "#kernel/http/authenticate.ts";
import type { Call } from "#kernel/http/call.ts";
import { implement } from "#kernel/http/implement.ts";
import { implementEventStream } from "#kernel/http/stream.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { OpenStreams } from "./open-streams.ts";

/** Proxies close a silent connection after a minute; regular comments keep it open. */
const HEARTBEAT_MS = 20_000;
/** A stream with this many unread bytes is closed; the browser resumes after its last event. */
const MOST_UNREAD_BYTES = 1_048_576;

export function bindEventRoutes(kernel: Kernel, open: OpenStreams): void {
  implementEventStream(kernel, streamEvents, (call, raw) => serve(kernel, open, call, raw));
  implement(kernel, checkEvents, async () => ({ is_available: await isAvailable(kernel), path: streamEvents.path }));
}

async function isAvailable({ events, log }: Kernel): Promise<boolean> {
  try {
    await events.check();
    return true;
  } catch (error) {
    log.warn({ err: error }, "live events are not available");
    return false;
  }
}

async function serve(
  kernel: Kernel,
  open: OpenStreams,
  call: Call<typeof streamEvents>,
  raw: FastifyReply,
): Promise<void> {
  const socket = raw.raw;
  const reader = { userId: call.actor.id, role: call.actor.role, isPending: call.actor.isPending };
  const end = () => void socket.end();
  const write = (text: string) => {
    if (socket.writableEnded || socket.destroyed) return;
    socket.write(text);
    if (socket.writableLength > MOST_UNREAD_BYTES) socket.destroy();
  };
  let subscription: Subscription | null = null;
  const close = open.add(call.actor.id, end);
  const endUnlessOpen = async () => {
    const now = await kernel.authenticator.current(proofOf(raw.request, true)).catch(() => null);
    if (now === null || now.role !== reader.role || now.isPending !== reader.isPending) end();
  };
  const heartbeat = setInterval(() => {
    write(": still here\n\n");
    // No event announces the expiry of a token.
    if (call.actor.token !== null) void endUnlessOpen();
  }, HEARTBEAT_MS);
  try {
    socket.writeHead(200, {
      ...(raw.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      // Closes the connection with the stream, so that a stopping server does not wait for it to be reused.
      connection: "close",
    });
    subscription = await kernel.events.subscribe(
      { after: call.lastEventId, filter: (event) => mayBeSeenBy(event.audience, reader) },
      (event) => {
        write(frame(event));
        if (endsSession(event, call.actor.sessionId)) end();
        if (mayEndToken(event, call.actor) || isActivation(event, call.actor)) void endUnlessOpen();
      },
    );
    // No event was received for a session that ended before the subscription began.
    await endUnlessOpen();
    write(`id: ${subscription.from}\nevent: ${subscription.hasGap ? "gap" : "hello"}\ndata: {}\n\n`);
    if (!socket.destroyed) await once(socket, "close");
  } catch (error) {
    // The response has started, so no error status can be sent; the browser reconnects automatically.
    kernel.log.error({ err: error }, "an event stream failed");
    socket.destroy();
  } finally {
    clearInterval(heartbeat);
    subscription?.close();
    close();
  }
}

const endsSession = (event: StoredEvent, sessionId: string | null): boolean =>
  event.type === "session.ended" && event.data.session_id === sessionId;

/** The token was revoked or its owner's permissions changed, so the session must be checked again. */
const mayEndToken = (event: StoredEvent, { token }: Actor): boolean =>
  token !== null &&
  (event.type === "user.changed" || (event.type === "token.changed" && event.data.token_id === token.id));

/** The activated user's browser reconnects immediately, and then receives the events for all users. */
const isActivation = (event: StoredEvent, { isPending }: Actor): boolean => isPending && event.type === "user.changed";

/** INVARIANT: an event is serialised through its schema, which drops all fields that it does not list. */
function frame(event: StoredEvent): string {
  const live = LiveEvent.safeParse({
    id: event.id,
    timestamp: event.at.toISOString(),
    type: event.type,
    data: event.data,
  });
  if (!live.success) return "";
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(live.data)}\n\n`;
}
