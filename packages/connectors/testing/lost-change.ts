// Asserts the result of a change over a separate connection whose answer is lost.
import assert from "node:assert/strict";
import type { Connector } from "../src/connector.ts";
import { tryChange, type Changeable } from "./capabilities.ts";
import { assertResult, tryOut } from "./suite.ts";
import { startCuttingProxy } from "./targets/cutting-proxy.ts";

/**
 * Breaks the connection after its TLS handshake, once after the change request has arrived and once before. `account`
 * makes a new one that is reached through a proxy on this port.
 */
export async function assertLostChange(
  connector: Connector,
  upstream: { host: string; port: number },
  account: (port: number) => Promise<Changeable>,
): Promise<void> {
  for (const isDelivered of [true, false]) {
    const proxy = await startCuttingProxy(upstream);
    try {
      const changing = await account(proxy.port);
      const isChange = (_: Buffer, index: number) => proxy.connections() === 2 && index === 1;
      void proxy.cut({ fault: "reset", isDelivered, at: isChange });
      const result = await tryChange(connector, changing);
      assert.equal(result.outcome, "unknown", result.message);
      const secret = isDelivered ? changing.candidate : changing.secret;
      assertResult(await tryOut(connector, { ...changing, secret }), { outcome: "verified" });
    } finally {
      await proxy.stop();
    }
  }
}
