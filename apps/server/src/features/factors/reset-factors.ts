// Removes the second factors of a person who lost them: by an administrator, or at the command line.
import type { Message, resetFactors } from "@strongroom/contract";
import { notifyOf } from "#features/notifications/index.ts";
import { endSessions } from "#features/sign-in/index.ts";
import type { Desk } from "#features/sign-in/index.ts";
import { findUserByEmail, lockUser, requireAnotherPerson, requireOneAdmin } from "#features/users/index.ts";
import { closeVault, isVaultHeld } from "#features/vault-closure/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { FactorParts } from "./factor-parts.ts";
import { deleteFactorsOf } from "./factors.store.ts";
import { tellOfReset } from "./tell-factors.ts";

/** Nobody does it for themselves: that would be a way around "the last factor stays". */
export async function reset(parts: FactorParts, call: Call<typeof resetFactors>, tx: Tx): Promise<Message> {
  requireAnotherPerson(call.actor.id, call.params.id);
  const person = await lockUser(tx, call.params.id);
  if (person === undefined) throw refuse(404, "user.not-found", "User not found");
  requireOneAdmin(person, await isVaultHeld(tx, person.id), parts.kernel.clock.now());
  const done = await removeFactors(parts, tx, person, call.actor);
  const target = { type: "user", id: person.id, name: person.email };
  call.note({ target, severity: "high", details: done });
  return {
    message: done.factors === 1 ? "1 second factor is removed." : `${done.factors} second factors are removed.`,
  };
}

/** With the person locked. Ends their sessions and API tokens, closes their vault and notifies them. */
export async function removeFactors(
  parts: FactorParts,
  tx: Tx,
  person: { id: string; email: string },
  by: { name: string },
): Promise<{ factors: number; sessions: number; tokens: number }> {
  const factors = await deleteFactorsOf(tx, person.id);
  const sessions = await parts.endSessions(tx, person.id);
  const tokens = await parts.signIn.endTokens.current(tx, person.id, "factors-reset");
  await tellOfReset(parts.notify, tx, person.id, by);
  await closeVault(parts.kernel, tx, { person, cause: "factors-reset", by: by.name });
  return { factors, sessions, tokens };
}

const COMMAND_LINE = "Somebody at the command line of the server";

/** For the last administrator who lost theirs. Throws a refusal for somebody who isn't there; answers how many there were. */
export async function resetFactorsOf(
  desk: Desk,
  email: string,
  endTokens: (desk: Desk, tx: Tx, userId: string, because: "factors-reset") => Promise<number>,
): Promise<number> {
  return desk.database.transaction(async (tx) => {
    const found = await findUserByEmail(tx, email.trim().toLowerCase());
    const person = found && (await lockUser(tx, found.id));
    if (person === undefined) throw refuse(404, "user.not-found", `There is no user ${email}.`);
    const count = await deleteFactorsOf(tx, person.id);
    await endSessions(desk, tx, person.id);
    await endTokens(desk, tx, person.id, "factors-reset");
    await tellOfReset(notifyOf(desk), tx, person.id, { name: COMMAND_LINE });
    await closeVault(desk, tx, { person, cause: "factors-reset", by: COMMAND_LINE });
    const target = { type: "user", id: person.id, name: person.email };
    const entry = systemEntry(
      "factor.reset",
      "command line",
      { target, severity: "high" as const, details: { factors: count } },
      desk.clock.now(),
    );
    await appendAudit(tx, [entry]);
    return count;
  });
}
