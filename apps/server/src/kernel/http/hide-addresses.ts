// Masks other users' email addresses in replies, except for callers who may list users.
import { isMachineAddress } from "@strongroom/contract";
import type { Endpoint } from "@strongroom/contract";
import { z } from "zod";
import type { Actor } from "../authz/actor.ts";
import type { Kernel } from "../kernel.ts";
import { maskedAddress } from "../masked-address.ts";

const ADDRESS_FIELD = /(^|_)email$/;

/**
 * INVARIANT: for users and API tokens that may not list users, every reply field named `email` or ending in `_email` is masked in
 * every call, except the caller's own address and those of machine identities, which belong to no person.
 */
export function hideAddresses(
  { authority }: Pick<Kernel, "authority">,
  endpoint: Endpoint,
  viewer: Actor | null,
  reply: unknown,
): unknown {
  // A public call only returns data about the caller.
  if (viewer === null || !hasAddresses(endpoint)) return reply;
  const isOpen =
    authority.allows("user.list", viewer.role) &&
    (viewer.token === null || viewer.token.scopes.has("user.list") || viewer.token.scopes.has("user.manage"));
  return isOpen ? reply : maskAddresses(reply, viewer.email);
}

/**
 * Masks data that is not sent through a reply schema, such as a download. `own` is the viewer's own address, which is not masked.
 */
export function maskAddresses(value: unknown, own: string): unknown {
  if (Array.isArray(value)) return value.map((each) => maskAddresses(each, own));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]: [string, unknown]) => {
    if (typeof inner !== "string" || !ADDRESS_FIELD.test(name)) return [name, maskAddresses(inner, own)];
    return [name, inner === own || isMachineAddress(inner) ? inner : maskedAddress(inner)];
  });
  return Object.fromEntries(fields) as unknown;
}

const known = new WeakMap<Endpoint, boolean>();

/** Lets the replies of most calls, including the hot ones, skip the scan. */
function hasAddresses(endpoint: Endpoint): boolean {
  const before = known.get(endpoint);
  if (before !== undefined) return before;
  const { reply } = endpoint;
  const shape = reply instanceof z.ZodType ? z.toJSONSchema(reply, { io: "output", unrepresentable: "any" }) : {};
  const found = /"(\w+_)?email":/.test(JSON.stringify(shape));
  known.set(endpoint, found);
  return found;
}
