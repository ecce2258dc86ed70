// Brings one rotation forward as far as it goes: a turn, an errand outside of the database, a turn, until it has to wait.
import { nextAct } from "./rotation.policy.ts";
import { LEASE_SECONDS, advance } from "./advance.ts";
import type { Errand } from "./advance.ts";
import { perform } from "./perform.ts";
import type { Performed } from "./perform.ts";
import type { RotationRow } from "./rotation.store.ts";
import type { Site } from "./site.ts";
import { meansOf, note, turnOf } from "./turn.ts";

/** The row is leased to us. Ends with the lease given back, or lost to somebody else. */
export async function workRotation(site: Site, claimed: RotationRow, signal: AbortSignal): Promise<void> {
  let row = claimed;
  let performed: Performed = { done: [], made: null };
  while (!signal.aborted) {
    const advanced = await advance(site, row, performed.done, performed.made);
    performed.made?.secret.dispose();
    if (advanced === null || advanced.errand === null) return;
    row = advanced.row;
    performed = await performAll(site, row, advanced.errand, signal);
  }
  // What was done since is not on record: whoever takes it up next asks the target.
}

/**
 * A change that the target answered with yes is proved at once: all that is on record of it says as much already, should we
 * die in between. What took long is put on record first, or the lease would run out.
 */
async function performAll(site: Site, row: RotationRow, errand: Errand, signal: AbortSignal): Promise<Performed> {
  const startedAt = performance.now();
  const performed = await perform(site, errand, signal);
  const isQuick = performance.now() - startedAt < (LEASE_SECONDS * 1000) / 4;
  if (errand.do !== "send" || !isQuick || performed.done[0]?.happening.kind !== "changed") return performed;
  const turn = turnOf(row);
  for (const each of performed.done) note(turn, each);
  const act = nextAct(turn.journal, meansOf(errand.connector, { reconciler: null }, turn.kind, errand.credential));
  if (act?.do !== "probe" || act.version !== errand.candidate.version) return performed;
  const { credential, connector } = errand;
  const proof = await perform(site, { do: "probe", credential, connector, secret: errand.candidate }, signal);
  return { done: [...performed.done, ...proof.done], made: null };
}
