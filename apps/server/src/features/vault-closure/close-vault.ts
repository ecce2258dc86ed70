// Closes and opens vaults, audits both and notifies the owner.
import type { VaultClosure } from "@strongroom/contract";
import { notifyOf } from "#features/notifications/index.ts";
import { findUser, readPolicy } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Closure } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { deleteClosure, findClosure, hasSecrets, putClosure } from "./vault-closure.store.ts";
import type { ClosureRow } from "./vault-closure.store.ts";

const HOUR = 3_600_000;

export const CLOSURE_JOB = "vault-closure.tend";

/** The dependencies that are also available without a server. */
export type ClockAndEvents = Pick<Kernel, "clock" | "events"> & Partial<Pick<Kernel, "jobs">>;

interface Closing {
  person: { id: string; email: string };
  cause: VaultClosure["cause"];
  /** The name of the user who reset the sign-in. */
  by: string;
  /** The owner accepted an invitation: they had no way to sign in before, so they are not notified. */
  isInvitation?: boolean;
}

/**
 * To be called in the transaction in which a user other than the owner creates a new way to sign in to the owner's
 * account. INVARIANT: an administrator who resets a sign-in cannot read the vault before its owner has had time to
 * object. A vault without secrets stays usable, because its owner would wait for nothing. Its owner can cancel the reset
 * too, and a second reset deletes the factors added since, so that they do not reveal secrets that are stored later.
 */
export async function closeVault(
  kernel: ClockAndEvents,
  tx: Tx,
  { person, cause, by, isInvitation = false }: Closing,
): Promise<void> {
  const now = kernel.clock.now();
  const blocks = await hasSecrets(tx, person.id);
  // Passkeys do not sign in users of a provider, so a change of the provider leaves no way into their empty vaults.
  const isQuiet = !blocks && (isInvitation || cause === "provider-changed");
  const { vault_wait_hours: hours } = await readPolicy(tx);
  const opensAt = new Date(now.getTime() + hours * HOUR);
  const row = await putClosure(tx, {
    user_id: person.id,
    closed_at: now,
    opens_at: opensAt,
    cause,
    closed_by: by,
    blocks_vault: blocks,
    mailed_at: isQuiet ? now : null,
  });
  const until = row.opens_at?.toISOString() ?? null;
  if (isQuiet && !row.blocks_vault) return;
  const target = { type: "user", id: person.id, name: person.email };
  const note = { target, severity: "high" as const, details: { cause, by, opens_at: until } };
  if (row.blocks_vault) await appendAudit(tx, [systemEntry("vault.closed", "vault", note, now)]);
  await notifyOf(kernel)(tx, {
    to: { users: [person.id] },
    type: "security_alert",
    title: row.blocks_vault ? "Your vault is closed" : "Your sign-in was reset",
    message: row.blocks_vault
      ? `${WHAT[cause]} ${sentenceOf(row)} To open it now, use a second factor that you had before. If you did not expect this, cancel the reset on your vault page.`
      : `${WHAT[cause]} If you did not expect this, cancel the reset with the link in the email, or contact another administrator.`,
    severity: "critical",
    actionRequired: true,
    // The link that cancels the reset is sent in a separate email.
    metadata: { by, is_mailed: true },
    link: "/vault",
    dedupeKey: `vault.closed:${person.id}`,
  });
  await kernel.jobs?.enqueue(tx, CLOSURE_JOB, {});
}

export const WHAT: Record<VaultClosure["cause"], string> = {
  "reset-link": "Your password was set with a link that another person created.",
  "factors-reset": "Another person removed your second factors.",
  "provider-changed": "Your sign-in method was changed.",
};

const sentenceOf = ({ opens_at: at }: ClosureRow): string =>
  at === null
    ? "Your vault stays closed."
    : `Your vault opens at ${at.toISOString().slice(0, 16).replace("T", " ")} UTC.`;

/**
 * Opens the user's vault if the factor is older than the reset. To be called in the transaction that verifies a second
 * factor.
 */
export async function openByFactor(
  kernel: ClockAndEvents,
  tx: Tx,
  userId: string,
  factorCreatedAt: Date,
): Promise<void> {
  const closure = await findClosure(tx, userId, kernel.clock.now());
  if (closure === undefined || factorCreatedAt >= closure.closed_at) return;
  if ((await deleteClosure(tx, userId)) && closure.blocks_vault) {
    await recordOpening(kernel, tx, userId, "earlier-factor");
  }
}

/** Returns the closure that a row of `vault_closures` describes at a given time; null: the vault is open. */
export function closureOf(closedAt: Date | null, opensAt: Date | null, now: Date): Closure | null {
  return closedAt === null || (opensAt !== null && opensAt <= now) ? null : { until: opensAt };
}

export async function recordOpening(
  kernel: ClockAndEvents,
  tx: Tx,
  userId: string,
  how: "earlier-factor" | "waiting-time",
): Promise<void> {
  const person = await findUser(tx, userId);
  if (person === undefined) return;
  const target = { type: "user", id: person.id, name: person.email };
  await appendAudit(tx, [systemEntry("vault.opened", "vault", { target, details: { how } }, kernel.clock.now())]);
  await notifyOf(kernel)(tx, {
    to: { users: [person.id] },
    type: "security_alert",
    title: "Your vault is open again",
    message: how === "earlier-factor" ? "You used an earlier second factor." : "The waiting time has ended.",
    severity: "critical",
    actionRequired: false,
    metadata: {},
    link: "/vault",
    mail: "always",
    dedupeKey: `vault.closed:${person.id}`,
  });
}
