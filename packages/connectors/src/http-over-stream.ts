// HTTP over a connection of ours, so that the client opens none by itself (undici).
import type { Duplex } from "node:stream";
import { Agent } from "undici";

/**
 * The client counts references to its socket, which a stream has none of; it needs nothing else of `net.Socket`. It
 * must not be told of the connection before it has finished asking for it: then it would never send the request.
 */
export function agentOver(stream: Duplex): Agent {
  const socket = Object.assign(stream, { ref: () => stream, unref: () => stream });
  return new Agent({ connect: (_options, done) => process.nextTick(done, null, socket) });
}
