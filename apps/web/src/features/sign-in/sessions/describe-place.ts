// Describes where a session comes from by its address alone, without a geolocation database that could be wrong.

const LOCAL = [
  /^10\./,
  /^192\.168\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^169\.254\./,
  // RFC 6598 (carrier-grade NAT and VPNs), RFC 4193 and RFC 4291.
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^f[cd][0-9a-f]{2}:/,
  /^fe[89ab][0-9a-f]:/,
];

/** `203.0.113.7 (internet)`; accepts IPv4, IPv6 and IPv4-mapped IPv6. */
export function describePlace(ip: string | null): string {
  if (ip === null) return "Address unknown";
  const address = ip.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (address === "::1" || address.startsWith("127.")) return `${address} (this machine, or a proxy on it)`;
  return `${address} (${LOCAL.some((range) => range.test(address)) ? "local network" : "internet"})`;
}
