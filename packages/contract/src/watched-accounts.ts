// Watched accounts: users are notified when a session on an account that they watch starts or is terminated.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AccountId, Message } from "./fields.ts";

const byId = z.object({ id: AccountId });

/** For members who may view the audit trail of the account's safe. */
export const readAccountWatch = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/watch",
  summary: "Whether the caller watches an account",
  params: byId,
  reply: z.object({ is_watched: z.boolean() }),
  needs: "privileged-session.list",
  audit: "none",
  thing: "account",
});

/**
 * For members who may view the audit trail of the account's safe. A watcher who loses that permission is no longer
 * notified.
 */
export const watchAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/watch",
  summary: "Start or stop watching an account: the caller is notified of its sessions",
  params: byId,
  body: z.strictObject({ is_watched: z.boolean() }),
  reply: Message,
  needs: "privileged-session.watch",
  audit: "account.watch-changed",
  thing: "account",
  gives: "nothing",
});
