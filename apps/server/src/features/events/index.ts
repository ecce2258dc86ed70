// Live events for browsers.
import type { Kernel } from "#kernel/kernel.ts";
import { bindEventRoutes } from "./events.routes.ts";
import { createOpenStreams } from "./open-streams.ts";

export interface EventsFeature {
  /** Ends all open streams, so that the server can stop; browsers reconnect to another process. */
  closeStreams(): void;
}

export function installEvents(kernel: Kernel): EventsFeature {
  const open = createOpenStreams();
  kernel.metrics.gauge("strongroom_event_streams", "Open event streams", () => open.size());
  bindEventRoutes(kernel, open);
  return { closeStreams: () => open.endAll() };
}
