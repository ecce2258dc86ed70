// The addresses that connectors may connect to: never those that return cloud credentials or reach this machine by
// accident.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import {
  addressBytes,
  carrierKindOf,
  destinationsOf,
  isGlobalIpv4,
  isInNetwork,
  parseNetwork,
  useOf,
  type AddressUse,
} from "./address.ts";
import type { Failure, NetworkPolicy } from "./connector.ts";
import { misconfigured, unreachable } from "./finding.ts";

export interface NetworkSettings {
  allowLoopback?: boolean;
  /** CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. */
  allowedNetworks?: readonly string[];
  lookup?: NetworkPolicy["lookup"];
}

/** Throws a plain sentence when a network is not in CIDR notation: the caller is reading its configuration. */
export function networkPolicy(settings: NetworkSettings = {}): NetworkPolicy {
  const allowedNetworks = (settings.allowedNetworks ?? []).map((text) => {
    const network = parseNetwork(text);
    if (network === null) throw new Error(`"${text}" is not a network in CIDR notation, such as 10.0.0.0/8`);
    return network;
  });
  return { allowLoopback: settings.allowLoopback ?? false, allowedNetworks, lookup: settings.lookup ?? systemLookup };
}

/**
 * The permitted addresses of `host`, in the resolver's order. Connect to one of these and never to the name: a second
 * resolution could differ.
 */
export async function permittedAddresses(
  policy: NetworkPolicy,
  host: string,
): Promise<{ addresses: string[] } | { failure: Failure }> {
  const name = canonicalName(host);
  if (name === null)
    return { failure: misconfigured("bad-input", `"${host}" is not a valid host name or IP address.`) };
  if (METADATA_NAMES.has(name)) return { failure: forbidden(host, "is a cloud metadata service") };
  const resolved = await resolve(policy, name, host);
  if (!("addresses" in resolved)) return resolved;

  const judged = resolved.addresses.map((address) => ({ address, refusal: refusalOf(policy, address) }));
  const addresses = judged.filter(({ refusal }) => refusal === null).map(({ address }) => address);
  if (addresses.length > 0) return { addresses };
  const [first] = judged;
  return { failure: forbidden(host, first?.refusal ?? "has no address", first?.address) };
}

/**
 * Why the policy refuses an address, as the end of a sentence, or null when it permits it. INVARIANT: an IPv6 address
 * that carries an IPv4 one is never permitted where that IPv4 address is not.
 */
export function refusalOf(policy: NetworkPolicy, address: string): string | null {
  const bytes = addressBytes(address);
  if (bytes === null) return "has an address that is tied to a network interface";
  const [outer, ...carried] = destinationsOf(bytes);
  const isLoopback = useOf(outer) === "loopback" && policy.allowLoopback;
  const refusedUse = [outer, ...carried].map(useOf).find((use) => use !== "unicast");
  if (refusedUse !== undefined && !isLoopback) return REFUSALS[refusedUse];
  const kind = carrierKindOf(bytes);
  if (kind === "tunnel") return "embeds an IPv4 address (tunnel or translator): use the IPv4 address itself";
  if (isLoopback) return null;
  if (policy.allowedNetworks.length === 0) {
    const isPrivate = kind === "nat64" && !carried.every(isGlobalIpv4);
    return isPrivate ? "embeds a private IPv4 address: use the IPv4 address itself" : null;
  }
  const isAllowed = (each: Uint8Array) => policy.allowedNetworks.some((network) => isInNetwork(each, network));
  return [outer, ...carried].every(isAllowed) ? null : "is outside the allowed networks (STRONGROOM_ALLOWED_NETWORKS)";
}

const REFUSALS: Record<Exclude<AddressUse, "unicast">, string> = {
  unspecified: "is the unspecified address",
  loopback: "is this machine itself (loopback), which is allowed only with STRONGROOM_ALLOW_LOOPBACK=1 on the server",
  "link-local": "is a link-local address",
  metadata: "is a cloud metadata service",
  multicast: "is a multicast address",
  broadcast: "is the broadcast address",
  reserved: "is a reserved address",
};

/** Host names where clouds serve instance credentials; the addresses they resolve to are refused as well. */
const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "instance-data",
  "instance-data.ec2.internal",
]);

/**
 * Lower case, without brackets and trailing dot. Null for invalid names, and for the short, octal, hexadecimal and
 * whole-number notations of IPv4 (`127.1`, `0177.0.0.1`, `2130706433`) that resolvers accept as addresses.
 */
function canonicalName(host: string): string | null {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (isIP(bare) !== 0) return bare.toLowerCase();
  // The conversion would parse the text as part of a URL and drop everything after a slash.
  if (/[\s/\\?#@:%]/.test(bare)) return null;
  const name = domainToASCII(bare.replace(/\.$/, "")).toLowerCase();
  const isName = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name) && name.length <= 253;
  return isName && isIP(name) === 0 ? name : null;
}

async function resolve(
  policy: NetworkPolicy,
  name: string,
  host: string,
): Promise<{ addresses: string[] } | { failure: Failure }> {
  if (isIP(name) !== 0) return { addresses: [name] };
  try {
    return { addresses: await policy.lookup(name) };
  } catch (error) {
    // A name that cannot be resolved is an expected outcome; the code gives the reason.
    const code = (error as NodeJS.ErrnoException).code;
    const why =
      code === "ENOTFOUND"
        ? "does not resolve. Check its spelling and the DNS entry"
        : "could not be resolved: the name server did not answer";
    return { failure: unreachable("dns-failure", `The name ${host} ${why}.`) };
  }
}

function forbidden(host: string, refusal: string, address?: string): Failure {
  const subject = address === undefined || address === host ? host : `${host} (${address})`;
  return misconfigured("address-forbidden", `${subject} ${refusal}. Nothing was sent to it.`);
}

async function systemLookup(name: string): Promise<string[]> {
  const answers = await lookup(name, { all: true, verbatim: true });
  return answers.map(({ address }) => address);
}
