// Tokens end with the person who has them: when they are disabled or deleted, and with them what those tokens have made.
import { findUser } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { changed } from "./tokens.ts";
import { activeTokensOf, revokeWithMade } from "./tokens.store.ts";

type ClockAndEvents = Pick<Kernel, "clock" | "events">;

/** A person who is disabled and enabled again makes new tokens. A machine identity that is disabled only rests. */
export async function revokeAsDisabled(kernel: ClockAndEvents, tx: Tx, userId: string): Promise<void> {
  const holder = await findUser(tx, userId);
  if (holder?.kind === "person") await revokeAllOf(kernel, tx, userId, "disabled");
}

/** All that somebody has, and what those tokens have made for others: each with an entry of its own in the trail. */
export async function revokeAllOf(
  { clock, events }: ClockAndEvents,
  tx: Tx,
  userId: string,
  became: "disabled" | "deleted",
): Promise<void> {
  const at = clock.now();
  const revoked = await revokeWithMade(tx, await activeTokensOf(tx, userId), at);
  if (revoked.length === 0) return;
  const entries = revoked.map(({ id, name, user_id, holder }) => {
    const reason =
      user_id === userId ? `Its holder was ${became}.` : `A token of somebody who was ${became} had made it.`;
    const details = { holder: user_id, holder_name: holder, ...(user_id === userId ? {} : { because_of: userId }) };
    return systemEntry("token.revoked", "tokens", { target: { type: "token", id, name }, reason, details }, at);
  });
  await appendAudit(tx, entries);
  await events.publish(tx, ...revoked.map((one) => changed(one.id, one.user_id)));
}
