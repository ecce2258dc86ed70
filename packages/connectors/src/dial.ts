// Opens a TCP connection to an address allowed by the network policy, and explains a failure in plain English.
import type { Attempt } from "./attempt.ts";
import { MAX_RECEIVED_BYTES, TooMuchData, connectBounded, type BoundedStream } from "./bounded-stream.ts";
import type { Failure } from "./connector.ts";
import { misconfigured, unreachable } from "./finding.ts";
import { permittedAddresses } from "./network-policy.ts";

export interface Endpoint {
  host: string;
  /** 1 to 65535. */
  port: number;
}

/** Other addresses are not tried. */
const MAX_ADDRESSES = 4;

/** `db1:5432`, with brackets around an IPv6 address. */
export function nameOf({ host, port }: Endpoint): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * A connected stream, or the reason for the failure. The stream is destroyed at the end of the attempt. Several
 * addresses share the time, in the resolver's order. To list accounts, allow `MAX_LISTED_BYTES`.
 */
export async function dial(
  endpoint: Endpoint,
  attempt: Attempt,
  maxReceivedBytes: number = MAX_RECEIVED_BYTES,
): Promise<{ stream: BoundedStream } | { failure: Failure }> {
  attempt.waitFor(`the address of ${endpoint.host}`);
  const permitted = await permittedAddresses(attempt.context.network, endpoint.host);
  if ("failure" in permitted) return permitted;

  attempt.waitFor(`${nameOf(endpoint)} to accept the connection`);
  const addresses = permitted.addresses.slice(0, MAX_ADDRESSES);
  let failure: Failure = unreachable("dns-failure", `The name ${endpoint.host} has no address. Check the host name.`);
  for (const [index, address] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    const shareMs = isLast ? attempt.context.timeoutMs : attempt.context.timeoutMs / addresses.length;
    const limits = { timeoutMs: shareMs, maxReceivedBytes };
    const dialled = await dialAddress(endpoint, address, limits, attempt.signal);
    if ("stream" in dialled) return dialled;
    failure = dialled.failure;
  }
  return { failure };
}

function dialAddress(
  endpoint: Endpoint,
  address: string,
  { timeoutMs, maxReceivedBytes }: { timeoutMs: number; maxReceivedBytes: number },
  signal: AbortSignal,
): Promise<{ stream: BoundedStream } | { failure: Failure }> {
  return new Promise((resolve) => {
    const options = { host: address, port: endpoint.port, noDelay: true, timeout: timeoutMs };
    const { socket, stream } = connectBounded(options, maxReceivedBytes);
    const fail = (error: NodeJS.ErrnoException) => resolve({ failure: connectionFailure(error, endpoint) });
    const abandon = () => socket.destroy();
    signal.addEventListener("abort", abandon, { once: true });
    if (signal.aborted) abandon();
    socket.once("error", fail);
    socket.once("timeout", () => socket.destroy(Object.assign(new Error("connect"), { code: "ETIMEDOUT" })));
    socket.once("close", () => {
      signal.removeEventListener("abort", abandon);
      fail({ name: "Error", message: "closed", code: "ECONNRESET" });
    });
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.removeListener("error", fail);
      resolve({ stream });
    });
  });
}

/** Interprets a socket error by its code, because drivers pass these errors on with different messages. */
export function connectionFailure(error: unknown, endpoint: Endpoint): Failure {
  const target = nameOf(endpoint);
  if (error instanceof TooMuchData) {
    return misconfigured("protocol-error", `${target} sent far more data than a login requires. Check the port.`);
  }
  switch (codeOf(error) ?? "") {
    case "ECONNREFUSED":
      return unreachable(
        "refused",
        `${target} refused the connection: nothing is listening there, or a firewall rejects it.`,
      );
    case "ETIMEDOUT":
      return unreachable("timeout", `${target} did not answer: the host is down, or a firewall drops the packets.`);
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EADDRNOTAVAIL":
    case "EACCES":
    case "EPERM":
      return unreachable("no-route", `No route to ${target}. Check routing and firewalls.`);
    default:
      return unreachable("connection-lost", `${target}: Connection closed during login.`);
  }
}

/** The `code` of an error, if it is a string. */
export function codeOf(error: unknown): string | undefined {
  if (error === null || typeof error !== "object" || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
