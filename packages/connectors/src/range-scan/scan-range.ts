// Probes the ports of a set of addresses: a bounded rate and number of connections, resumable at an address.
import { setTimeout as pause } from "node:timers/promises";
import type { NetworkPolicy } from "../connector.ts";
import { refusalOf } from "../network-policy.ts";
import { addressAt, type AddressSet } from "./address-set.ts";
import { probe, type FoundService } from "./probe.ts";

export interface FoundHost {
  address: string;
  services: FoundService[];
}

export interface RangeScan {
  addresses: AddressSet;
  ports: readonly number[];
  /** Connections per second. */
  rate: number;
  /** Milliseconds for each connection. */
  timeoutMs: number;
  /** The first address to probe, by number. */
  from: number;
  network: NetworkPolicy;
  signal: AbortSignal;
  /** Called for each host with an open port; the scan waits for it. */
  onHost: (host: FoundHost) => Promise<void>;
  /** Called after each address: all addresses before this number are done. */
  onProgress: (done: number) => Promise<void>;
}

/** More connections at once do not find hosts faster: most time passes while dropped packets time out. */
const MOST_AT_ONCE = 512;
const LEAST_AT_ONCE = 16;

/** The number of addresses that the network policy refuses. Rejects with the signal's reason when it is aborted. */
export async function scanRange(scan: RangeScan): Promise<{ refused: number }> {
  const { addresses, ports, rate, timeoutMs, network, signal } = scan;
  const atOnce = Math.min(MOST_AT_ONCE, Math.max(LEAST_AT_ONCE, Math.ceil((rate * timeoutMs) / 1000)));
  const open = new Set<number>();
  let next = scan.from;
  let refused = 0;
  let freeAt = 0;

  /** Waits until the rate allows another connection. */
  async function ticket(): Promise<void> {
    const now = performance.now();
    freeAt = Math.max(now, freeAt) + 1000 / rate;
    const wait = freeAt - now;
    if (wait > 2) await pause(wait, undefined, { signal });
  }

  async function work(): Promise<void> {
    while (next < addresses.count) {
      signal.throwIfAborted();
      const index = next++;
      open.add(index);
      const address = addressAt(addresses, index);
      // INVARIANT: no connection is opened to an address that the network policy refuses.
      if (refusalOf(network, address) === null) await probeHost(address);
      else refused += 1;
      open.delete(index);
      await scan.onProgress(Math.min(next, ...open));
    }
  }

  async function probeHost(address: string): Promise<void> {
    const services: FoundService[] = [];
    for (const port of ports) {
      await ticket();
      signal.throwIfAborted();
      const service = await probe(address, port, { timeoutMs, signal });
      if (service !== null) services.push(service);
    }
    signal.throwIfAborted();
    if (services.length > 0) await scan.onHost({ address, services });
  }

  await Promise.all(Array.from({ length: Math.min(atOnce, addresses.count - scan.from) }, work));
  return { refused };
}
