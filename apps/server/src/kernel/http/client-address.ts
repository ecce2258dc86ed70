// The address of a client. An IPv4 client of an IPv6 socket (RFC 4291 §2.5.5.2) counts as the same client as over IPv4.
import type { FastifyRequest } from "fastify";
import { isIPv6 } from "node:net";

/** The address of a request, in one notation for each client. */
export const clientAddress = (request: FastifyRequest): string => plainAddress(request.ip);

/** `10.1.2.3` for `::ffff:10.1.2.3` and `::FFFF:a01:203`; any other text unchanged. */
export function plainAddress(address: string): string {
  if (!isIPv6(address) || address.includes("%")) return address;
  // The URL parser normalises every notation of an IPv6 address to that of RFC 5952 §4.
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${address}]/`).hostname);
  if (mapped === null) return address;
  const [high, low] = [Number.parseInt(mapped[1] ?? "", 16), Number.parseInt(mapped[2] ?? "", 16)];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
