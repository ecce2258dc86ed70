// Undoes an onboarding until its first rotation: deletes the account and asks for a new decision.
import type { Onboarding, undoOnboarding } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { reopenDecision } from "../accounts/discovered.store.ts";
import { changed, mayNotManage } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import * as store from "./onboarding.store.ts";
import { UNDOABLE, onboardingNotFound, toOnboarding } from "./preview-onboarding.ts";

export async function undo(context: DiscoveryContext, call: Call<typeof undoOnboarding>, tx: Tx): Promise<Onboarding> {
  const { kernel, accounts, firstRotations } = context;
  const { id } = call.params;
  call.note({ target: { type: "onboarding", id } });
  const before = await store.readOnboarding(tx, call.actor, id);
  if (before === null) throw onboardingNotFound();
  call.note({
    target: { type: "discovered-account", id: before.discovered_id, name: before.name },
    details: { onboarding: id, account: before.account_id },
  });
  if (!before.can_manage) throw mayNotManage();
  const accountId = before.account_id;
  const isGone = accountId === null || (await store.factsOf(tx, accountId)).is_deleted;
  // The rows of accounts are locked before those of onboardings, as when a rotation ends.
  if (!isGone) await accounts.hold(tx, call.actor, accountId, "add");
  const row = (await store.lockOnboarding(tx, id))!;
  if (!UNDOABLE.includes(row.state)) throw tooLate("The onboarding has ended.");
  if (row.account_id !== accountId) throw tooLate("The account was stored just now. Try again.");
  if (!isGone) {
    const rotationId = (await firstRotations.openOf(tx, accountId)) ?? row.rotation_id;
    const message = `${call.actor.name} undid the onboarding before anything was sent.`;
    if (rotationId !== null && !(await firstRotations.cancel(tx, rotationId, message))) throw tooLate(SENT);
    if (!(await accounts.discardUnknown(tx, accountId, call.actor))) throw tooLate(KNOWN);
  }
  const at = kernel.clock.now();
  await store.saveStep(tx, id, { state: "undone", message: `${call.actor.name} undid the onboarding.`, at });
  const target = await reopenDecision(tx, row.discovered_id);
  if (target !== null) await kernel.events.publish(tx, await changed(tx, target));
  return toOnboarding((await store.readOnboarding(tx, call.actor, id))!);
}

const tooLate = (message: string): Refusal => refuse(409, "discovery.onboarding-not-undoable", message);

const SENT =
  "A new password may already have reached the system, so the onboarding can no longer be undone. Wait until the rotation ends.";
const KNOWN = "The account's password is known now. Delete the account instead.";
