// Background jobs: mail owners the link that cancels a reset, and open vaults when their waiting time has ended.
import { createHash, randomBytes } from "node:crypto";
import type { Mail } from "#features/mail/index.ts";
import { findUser } from "#features/users/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { CLOSURE_JOB, WHAT, recordOpening } from "./close-vault.ts";
import { findUnmailed, recordMailing, takeDue } from "./vault-closure.store.ts";
import type { ClosureRow } from "./vault-closure.store.ts";

export function defineClosureJobs(kernel: Kernel, mail: Mail): void {
  kernel.jobs.define(CLOSURE_JOB, { schedule: "* * * * *", retryLimit: 5 }, async () => {
    await kernel.database.transaction(async (tx) => {
      for (const row of await takeDue(tx, kernel.clock.now())) {
        if (row.blocks_vault) await recordOpening(kernel, tx, row.user_id, "waiting-time");
      }
    });
    if (!mail.isConfigured) return;
    for (const row of await findUnmailed(kernel.database.db, kernel.clock.now())) await mailOwner(kernel, mail, row);
  });
}

/** Mails the owner the link that cancels the reset. If sending fails, the retry uses a new link. */
async function mailOwner(kernel: Kernel, mail: Mail, row: ClosureRow): Promise<void> {
  const { database, clock } = kernel;
  const person = await findUser(database.db, row.user_id);
  if (person === undefined || row.opens_at === null) return;
  const token = randomBytes(32).toString("base64url");
  await database.transaction((tx) => recordMailing(tx, person.id, { cancel_hash: hashOf(token) }));
  const until = `${row.opens_at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const state = row.blocks_vault
    ? [
        `Your vault is closed and opens at ${until}.`,
        "",
        "If you requested this, you can open the vault now: sign in and use a second factor or a recovery code that you had before.",
      ]
    : [`If you requested this, ignore this email. Otherwise you can cancel the reset until ${until}.`];
  await mail.send({
    to: person.email,
    subject: row.blocks_vault
      ? "Your Strongroom vault is closed after a reset"
      : "Your sign-in to Strongroom was reset",
    text: [
      `Hello ${person.name},`,
      "",
      `${WHAT[row.cause]} Changed by: ${row.closed_by}.`,
      ...state,
      "",
      "If you did NOT request this, cancel the reset here. All sessions end, the new password stops working, and the vault is closed until your sign-in is reset again:",
      "",
      // After the `#`, so that browsers do not send the token to a server.
      `${kernel.publicUrl()}/cancel-recovery#token=${token}`,
      "",
    ].join("\n"),
  });
  await database.transaction((tx) => recordMailing(tx, person.id, { mailed_at: clock.now() }));
}

export const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();
