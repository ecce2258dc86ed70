// Allows all networks again, for an operator at the server when no administrator can sign in to change the policy.
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { rulesChanged } from "./rules-changed.ts";
import { readPolicy, writePolicy } from "./sign-in-policy.store.ts";

/** Returns the networks that were allowed before. Audited as done by `part`; running servers apply it at once. */
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
