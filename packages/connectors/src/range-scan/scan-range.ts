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

/** More concurrent connections do not find hosts faster: most time passes while dropped packets time out. */
const MOST_AT_ONCE = 256;
const LEAST_AT_ONCE = 16;
/** Milliseconds. Cancelling a slow scan takes at most this long. */
const LONGEST_PAUSE_MS = 500;

/** The number of addresses that the network policy refuses. Rejects with the signal's reason when it is aborted. */
export async function scanRange(scan: RangeScan): Promise<{ refused: number }> {
  const { addresses, ports, rate, timeoutMs, network, signal } = scan;
  const atOnce = Math.min(MOST_AT_ONCE, Math.max(LEAST_AT_ONCE, Math.ceil((rate * timeoutMs) / 1000)));
  /** Addresses that finished before an earlier one. */
  const early = new Set<number>();
  let next = scan.from;
  let done = scan.from;
  let refused = 0;
  let freeAt = 0;

  /** Waits until the rate allows another connection. */
  async function ticket(): Promise<void> {
    const now = performance.now();
    freeAt = Math.max(now, freeAt) + 1000 / rate;
    const due = freeAt;
    // Does not pass the signal, which would add a listener for each connection.
    for (let wait = due - now; wait > 2; wait = due - performance.now()) {
      await pause(Math.min(wait, LONGEST_PAUSE_MS));
      signal.throwIfAborted();
    }
  }

  async function work(): Promise<void> {
    while (next < addresses.count) {
      signal.throwIfAborted();
      const index = next++;
      const address = addressAt(addresses, index);
      // INVARIANT: no connection is opened to an address that the network policy refuses.
      if (refusalOf(network, address) === null) await probeHost(address);
      else refused += 1;
      early.add(index);
      while (early.delete(done)) done += 1;
      await scan.onProgress(done);
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
