// HTTP over an existing connection, so that the client does not open one (undici).
import type { Duplex } from "node:stream";
import { Agent } from "undici";

/**
 * The client counts references to its socket, which a plain stream does not have; it uses nothing else of
 * `net.Socket`. Report the connection only after the client has finished asking for it: otherwise it never sends the
 * request.
 */
export function agentOver(stream: Duplex): Agent {
  const socket = Object.assign(stream, { ref: () => stream, unref: () => stream });
  return new Agent({ connect: (_options, done) => process.nextTick(done, null, socket) });
}
