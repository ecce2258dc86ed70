// IP addresses: what one is for, read from its bits, and whether a network holds it.
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
  /** Significant bits, counted from the left. */
  bits: number;
}

/** The 4 or 16 bytes of an IP address without zone, or null when `text` is none in its canonical notation. */
export function addressBytes(text: string): Uint8Array | null {
  const family = isIP(text);
  if (family === 0 || text.includes("%")) return null;
  if (family === 4) return Uint8Array.from(text.split("."), Number);
  return ipv6Bytes(text);
}

/** The network that `text` (`10.0.0.0/8`, `fd00::/8`, or one address) names, or null when it names none. */
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
 * The addresses that a packet to this one may end at: the address itself (an IPv4-mapped one as IPv4, RFC 4291
 * §2.5.5.2) and the IPv4 address inside an IPv4-compatible (§2.5.5.1), NAT64 (RFC 6052 §2.1), 6to4 (RFC 3056 §2)
 * or Teredo (RFC 4380 §4) one.
 */
export function destinationsOf(address: Uint8Array): [Uint8Array, ...Uint8Array[]] {
  if (address.length === 4) return [address];
  if (isInNetwork(address, MAPPED)) return [address.slice(12)];
  if (useOf(address) !== "unicast") return [address];
  const carried = CARRIERS.filter(({ prefix }) => isInNetwork(address, prefix)).map(({ inner }) => inner(address));
  return [address, ...carried];
}

/** IANA special-purpose registries (RFC 6890), and the addresses on which clouds serve instance credentials. */
export function useOf(address: Uint8Array): AddressUse {
  return USES.find(({ network }) => isInNetwork(address, network))?.use ?? "unicast";
}

const MAPPED = network("::ffff:0:0/96");

const CARRIERS = [
  { prefix: network("::/96"), inner: (ip: Uint8Array) => ip.slice(12) },
  { prefix: network("64:ff9b::/96"), inner: (ip: Uint8Array) => ip.slice(12) },
  { prefix: network("2002::/16"), inner: (ip: Uint8Array) => ip.slice(2, 6) },
  { prefix: network("2001::/32"), inner: (ip: Uint8Array) => ip.slice(12).map((byte) => byte ^ 0xff) },
];

/** The first network that holds an address names its use: order matters. */
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
