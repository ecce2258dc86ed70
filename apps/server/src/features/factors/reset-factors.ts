// Removes the second factors of a user who lost them, at an administrator's request or from the command line.
import type { Message, resetFactors } from "@strongroom/contract";
import { notifyOf } from "#features/notifications/index.ts";
import { endSessions } from "#features/sign-in/index.ts";
import type { UserAdminContext } from "#features/sign-in/index.ts";
import { findUserByEmail, lockUser, requireAnotherPerson, requireOneAdmin } from "#features/users/index.ts";
import { closeVault, isVaultHeld } from "#features/vault-closure/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { FactorsContext } from "./context.ts";
import { deleteFactorsOf } from "./factors.store.ts";
import { notifyOfReset } from "./notify-factors.ts";

/** Administrators cannot reset their own factors, because that would bypass the rule that the last factor cannot be removed. */
export async function reset(parts: FactorsContext, call: Call<typeof resetFactors>, tx: Tx): Promise<Message> {
  requireAnotherPerson(call.actor.id, call.params.id);
  const person = await lockUser(tx, call.params.id);
  if (person === undefined) throw refuse(404, "user.not-found", "User not found");
  requireOneAdmin(person, await isVaultHeld(tx, person.id), parts.kernel.clock.now());
  const done = await removeFactors(parts, tx, person, call.actor);
  const target = { type: "user", id: person.id, name: person.email };
  call.note({ target, severity: "high", details: done });
  return {
    message: done.factors === 1 ? "1 second factor removed." : `${done.factors} second factors removed.`,
  };
}

/** Ends the user's sessions and API tokens, closes their vault and notifies them. The caller has locked the user. */
export async function removeFactors(
  parts: FactorsContext,
  tx: Tx,
  person: { id: string; email: string },
  by: { name: string },
): Promise<{ factors: number; sessions: number; tokens: number }> {
  const factors = await deleteFactorsOf(tx, person.id);
  const sessions = await parts.endSessions(tx, person.id);
  const tokens = await parts.signIn.endTokens.current(tx, person.id, "factors-reset");
  await notifyOfReset(parts.notify, tx, person.id, by);
  await closeVault(parts.kernel, tx, { person, cause: "factors-reset", by: by.name });
  return { factors, sessions, tokens };
}

const COMMAND_LINE = "An operator on the server's command line";

/** Also works for the last administrator. Returns how many factors were removed. Throws a refusal for an unknown user. */
export async function resetFactorsOf(
  context: UserAdminContext,
  email: string,
  endTokens: (context: UserAdminContext, tx: Tx, userId: string, because: "factors-reset") => Promise<number>,
): Promise<number> {
  return context.database.transaction(async (tx) => {
    const found = await findUserByEmail(tx, email.trim().toLowerCase());
    const person = found && (await lockUser(tx, found.id));
    if (person === undefined) throw refuse(404, "user.not-found", `There is no user with the email address ${email}.`);
    const count = await deleteFactorsOf(tx, person.id);
    await endSessions(context, tx, person.id);
    await endTokens(context, tx, person.id, "factors-reset");
    await notifyOfReset(notifyOf(context), tx, person.id, { name: COMMAND_LINE });
    await closeVault(context, tx, { person, cause: "factors-reset", by: COMMAND_LINE });
    const target = { type: "user", id: person.id, name: person.email };
    const entry = systemEntry(
      "factor.reset",
      "command line",
      { target, severity: "high" as const, details: { factors: count } },
      context.clock.now(),
    );
    await appendAudit(tx, [entry]);
    return count;
  });
}
