// Rules of the sign-in policy for networks and required factors, without a clock and without a database.
import type { Role, SignInPolicy } from "@strongroom/contract";
import { BlockList, isIP } from "node:net";
import { plainAddress } from "#kernel/http/client-address.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { rulesChanged } from "./rules-changed.ts";
import { readPolicy, writePolicy } from "./sign-in-policy.store.ts";
import { refuse } from "#kernel/http/refuse.ts";

type Networks = Pick<SignInPolicy, "allowed_networks">;

type AddressTest = (address: string) => boolean;

/**
 * Returns a test for whether an address is in one of the networks. Without networks, every address passes. An IPv4 address in
 * IPv6 notation counts as IPv4.
 */
export function within(networks: readonly string[]): AddressTest {
  if (networks.length === 0) return () => true;
  const list = new BlockList();
  for (const network of networks) {
    const [written = "", length = ""] = network.split("/");
    const address = plainAddress(written);
    const isShortened = address !== written && Number(length) >= 96;
    if (isShortened) list.addSubnet(address, Number(length) - 96, "ipv4");
    else list.addSubnet(written, Number(length), isIP(written) === 4 ? "ipv4" : "ipv6");
  }
  return (address) => {
    const plain = plainAddress(address.split("%", 1)[0] ?? "");
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 4 ? "ipv4" : "ipv6");
  };
}

/** The most recently used test, kept so that it is not rebuilt for every call. */
let latest = { key: "", test: within([]) };

/** As `within`, for a single address. */
export function isWithin(networks: readonly string[], address: string): boolean {
  const key = networks.join(" ");
  if (latest.key !== key) latest = { key, test: within(networks) };
  return latest.test(address);
}

/** Throws 403 for an address that the policy does not allow. Called at every sign-in and for every call of a session. */
export function requireAllowedNetwork(policy: Networks, address: string): void {
  if (isWithin(policy.allowed_networks, address)) return;
  throw refuse(403, "network.not-allowed", "Access from your network is not allowed. Ask an administrator.");
}

/** Throws 409 when these networks exclude the address of the caller, who could then not undo the change. */
export function requireOwnNetwork({ allowed_networks: networks }: Networks, address: string): void {
  if (isWithin(networks, address)) return;
  const message = `Your own address, ${address}, is not in any of these networks. You would lock yourself out.`;
  throw refuse(409, "policy.locks-out", message, { errors: [{ path: "allowed_networks", msg: message }] });
}

type FactorRoles = Pick<SignInPolicy, "mfa_required_roles">;

/** The roles that newly require a second factor. */
export const newlyAsked = (before: FactorRoles, after: FactorRoles): Role[] =>
  after.mfa_required_roles.filter((role) => !before.mfa_required_roles.includes(role));

/**
 * Allows all networks and returns those that were allowed before. Audited as done by `part`. Running servers apply the change
 * immediately.
 */
export function openNetworks(
  { database, events, clock }: Pick<Kernel, "database" | "events" | "clock">,
  part: string,
): Promise<string[]> {
  return database.transaction(async (tx) => {
    const from = await readPolicy(tx);
    if (from.allowed_networks.length === 0) return [];
    const to = { ...from, allowed_networks: [] };
    await writePolicy(tx, to);
    const note = { target: { type: "policy", id: "sign-in" }, details: { from: { ...from }, to } };
    await appendAudit(tx, [systemEntry("policy.changed", part, note, clock.now())]);
    await events.publish(tx, rulesChanged);
    return from.allowed_networks;
  });
}
