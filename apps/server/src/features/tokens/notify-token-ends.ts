// Notifies the holder before a token expires; for a machine identity, its responsible users and the administrators.
import type { Notify } from "#features/notifications/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { findEnding, markNotified } from "./lifetime/ending.store.ts";
import type { EndingToken } from "./lifetime/ending.store.ts";
import { FIRST_NOTICE, endOf, noticeDue } from "./tokens.policy.ts";

const AT_ONCE = 200;
const DAY = 86_400_000;

/** Safe to run at any time and in several processes: each notice is sent once. */
export async function notifyOfTokenEnds({ database, clock }: Kernel, notify: Notify): Promise<void> {
  const now = clock.now();
  const until = new Date(now.getTime() + FIRST_NOTICE * DAY);
  let after: string | null = null;
  do {
    after = await database.transaction(async (tx) => {
      const tokens: EndingToken[] = await findEnding(tx, { now, until, after, limit: AT_ONCE });
      for (const token of tokens) await notifyOfEnd(tx, notify, token, now);
      return tokens.length < AT_ONCE ? null : tokens.at(-1)!.id;
    });
  } while (after !== null);
}

async function notifyOfEnd(tx: Tx, notify: Notify, token: EndingToken, now: Date): Promise<void> {
  const end = endOf(token, token.kind, token);
  const days = noticeDue({ ...token, end }, now);
  if (days === null) return;
  const isOfMachine = token.kind === "machine";
  const whose = isOfMachine ? ` of the machine identity ${token.holder}` : "";
  await notify(tx, {
    to: isOfMachine ? { users: token.answering, roles: ["admin"] } : { users: [token.user_id] },
    type: "security_alert",
    title: days === 1 ? "An API token expires within a day" : "An API token expires soon",
    message: `The token "${token.name}"${whose} expires at ${end.toISOString().slice(0, 16).replace("T", " ")} UTC. Replace it before then.`,
    severity: days === 1 ? "high" : "medium",
    actionRequired: true,
    metadata: { token_id: token.id, ends_at: end.toISOString() },
    link: isOfMachine ? null : "/profile",
    dedupeKey: `token.ends:${token.id}`,
  });
  await markNotified(tx, token.id, days, end);
}
