// IP addresses: their special-purpose use, read from the bits, and the networks that contain them.
import { isIP, isIPv4 } from "node:net";

/** Uses of an address that a connector may have to refuse. */
export type AddressUse =
  | "unspecified"
  | "loopback"
  | "link-local"
  | "metadata"
  | "multicast"
  | "broadcast"
  | "reserved"
  | "unicast";

export interface Network {
  /** 4 or 16 bytes; host bits are zero. */
  bytes: Uint8Array;
  /** The number of significant bits, counted from the left. */
  bits: number;
}

/** The 4 or 16 bytes of an IP address without zone, or null when `text` is not in canonical notation. */
export function addressBytes(text: string): Uint8Array | null {
  const family = isIP(text);
  if (family === 0 || text.includes("%")) return null;
  if (family === 4) return Uint8Array.from(text.split("."), Number);
  return ipv6Bytes(text);
}

/** The network written as `text` (`10.0.0.0/8`, `fd00::/8`, or one address), or null. */
export function parseNetwork(text: string): Network | null {
  const [address = "", length, ...rest] = text.trim().split("/");
  const bytes = addressBytes(address);
  if (bytes === null || rest.length > 0) return null;
  if (length === undefined) return { bytes, bits: bytes.length * 8 };
  if (!/^\d{1,3}$/.test(length) || Number(length) > bytes.length * 8) return null;
  const bits = Number(length);
  return { bytes: bytes.map((byte, index) => byte & maskOf(bits, index)), bits };
}

export function isInNetwork(address: Uint8Array, network: Network): boolean {
  if (address.length !== network.bytes.length) return false;
  return address.every((byte, index) => (byte & maskOf(network.bits, index)) === network.bytes[index]);
}

/**
 * The addresses at which a packet to this one can arrive: the address itself (an IPv4-mapped one as IPv4, RFC 4291
 * §2.5.5.2) and every IPv4 address that it embeds in one of the forms of `CARRIERS`.
 */
export function destinationsOf(address: Uint8Array): [Uint8Array, ...Uint8Array[]] {
  if (address.length === 4) return [address];
  if (isInNetwork(address, MAPPED)) return [address.slice(12)];
  if (useOf(address) !== "unicast") return [address];
  return [address, ...carriersOf(address).flatMap(({ inner }) => inner(address))];
}

/**
 * How an IPv6 address embeds an IPv4 one: `nat64` by the well-known prefix, which DNS64 resolvers return for public hosts
 * (RFC 6052 §2.1), `tunnel` by any other form. Null when it embeds none.
 */
export function carrierKindOf(address: Uint8Array): "nat64" | "tunnel" | null {
  if (address.length === 4 || isInNetwork(address, MAPPED) || useOf(address) !== "unicast") return null;
  const [carrier] = carriersOf(address);
  return carrier?.kind ?? null;
}

/** False for IPv4 addresses that only have a meaning inside one network (IANA IPv4 special-purpose registry). */
export function isGlobalIpv4(address: Uint8Array): boolean {
  return useOf(address) === "unicast" && !NOT_GLOBAL.some((each) => isInNetwork(address, each));
}

/** IANA special-purpose registries (RFC 6890), and the addresses on which clouds serve instance credentials. */
export function useOf(address: Uint8Array): AddressUse {
  return USES.find(({ network }) => isInNetwork(address, network))?.use ?? "unicast";
}

const MAPPED = network("::ffff:0:0/96");

interface Carrier {
  kind: "nat64" | "tunnel";
  holds: (address: Uint8Array) => boolean;
  /** Each position where this form can embed an IPv4 address. */
  inner: (address: Uint8Array) => Uint8Array[];
}

const under = (prefix: string) => {
  const parsed = network(prefix);
  return (address: Uint8Array) => isInNetwork(address, parsed);
};
const bytesAt =
  (...places: number[]) =>
  (address: Uint8Array) =>
    Uint8Array.from(places, (place) => address[place] ?? 0);
const LAST = bytesAt(12, 13, 14, 15);

const CARRIERS: Carrier[] = [
  { kind: "nat64", holds: under("64:ff9b::/96"), inner: (ip) => [LAST(ip)] },
  // NAT64 for local use (RFC 8215): its prefix length is not known, so each layout of RFC 6052 §2.2 counts.
  {
    kind: "tunnel",
    holds: under("64:ff9b:1::/48"),
    inner: (ip) => [bytesAt(6, 7, 9, 10), bytesAt(7, 9, 10, 11), bytesAt(9, 10, 11, 12), LAST].map((read) => read(ip)),
  },
  // IPv4-compatible (RFC 4291 §2.5.5.1) and IPv4-translated (RFC 2765 §2.1).
  { kind: "tunnel", holds: under("::/96"), inner: (ip) => [LAST(ip)] },
  { kind: "tunnel", holds: under("::ffff:0:0:0/96"), inner: (ip) => [LAST(ip)] },
  // 6to4 (RFC 3056 §2).
  { kind: "tunnel", holds: under("2002::/16"), inner: (ip) => [bytesAt(2, 3, 4, 5)(ip)] },
  // Teredo (RFC 4380 §4): the server, and the client with all bits inverted.
  {
    kind: "tunnel",
    holds: under("2001::/32"),
    inner: (ip) => [bytesAt(4, 5, 6, 7)(ip), LAST(ip).map((byte) => byte ^ 0xff)],
  },
  // ISATAP (RFC 5214 §6.1): under any prefix, recognised by the interface identifier.
  {
    kind: "tunnel",
    holds: (ip) => ((ip[8] ?? 0) & 0xfd) === 0 && ip[9] === 0 && ip[10] === 0x5e && ip[11] === 0xfe,
    inner: (ip) => [LAST(ip)],
  },
];

const carriersOf = (address: Uint8Array): Carrier[] => CARRIERS.filter(({ holds }) => holds(address));

const NOT_GLOBAL = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
].map(network);

/** The first network that contains an address determines its use, so the order matters. */
const USES: { network: Network; use: AddressUse }[] = [
  { network: network("169.254.169.254"), use: "metadata" },
  { network: network("169.254.170.0/24"), use: "metadata" },
  { network: network("100.100.100.200"), use: "metadata" },
  { network: network("168.63.129.16"), use: "metadata" },
  { network: network("192.0.0.192"), use: "metadata" },
  { network: network("fd00:ec2::/32"), use: "metadata" },
  { network: network("fd20:ce::254"), use: "metadata" },
  { network: network("0.0.0.0/8"), use: "unspecified" },
  { network: network("127.0.0.0/8"), use: "loopback" },
  { network: network("169.254.0.0/16"), use: "link-local" },
  { network: network("224.0.0.0/4"), use: "multicast" },
  { network: network("255.255.255.255"), use: "broadcast" },
  { network: network("240.0.0.0/4"), use: "reserved" },
  { network: network("::"), use: "unspecified" },
  { network: network("::1"), use: "loopback" },
  { network: network("fe80::/10"), use: "link-local" },
  { network: network("fec0::/10"), use: "reserved" },
  { network: network("ff00::/8"), use: "multicast" },
];

function network(text: string): Network {
  const parsed = parseNetwork(text);
  if (parsed === null) throw new Error(`not a network: ${text}`);
  return parsed;
}

/** Byte `index` of a mask of `bits` leading ones. */
function maskOf(bits: number, index: number): number {
  const left = Math.min(8, Math.max(0, bits - index * 8));
  return (0xff << (8 - left)) & 0xff;
}

function ipv6Bytes(text: string): Uint8Array {
  const [head = "", tail] = text.split("::");
  const front = groupBytes(head);
  const back = tail === undefined ? [] : groupBytes(tail);
  const bytes = new Uint8Array(16);
  bytes.set(front);
  bytes.set(back, 16 - back.length);
  return bytes;
}

function groupBytes(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (isIPv4(group)) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
