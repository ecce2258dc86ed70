// Decides at which hosts a platform's reconcile account may log in. Pure.
import { BlockList, isIP } from "node:net";

/**
 * INVARIANT: the reconcile account's secret goes only to its own host and to those that an administrator listed: a
 * user who edits an account's address cannot redirect that secret. Null hosts match nothing.
 */
export function mayReconcileAt(host: string | null, own: string | null, named: readonly string[]): boolean {
  if (host === null || host === "") return false;
  const wanted = plain(host);
  if (own !== null && plain(own) === wanted) return true;
  return named.some((each) => isNamed(wanted, plain(each)));
}

/** Ignores case and the brackets of an IPv6 address. */
const plain = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1");

function isNamed(host: string, pattern: string): boolean {
  if (pattern.startsWith("*."))
    return host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1 && isIP(host) === 0;
  const [address = "", prefix] = pattern.split("/");
  if (prefix === undefined) return host === pattern;
  return isInside(host, address, Number(prefix));
}

function isInside(host: string, address: string, prefix: number): boolean {
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || prefix > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const network = new BlockList();
  network.addSubnet(address, prefix, type);
  return network.check(host, type);
}
