// Asks who moves accounts into a safe that others put them into to agree to the people who gain access there.
import type { PeopleGainingAccess } from "@strongroom/contract";
import { createHash } from "node:crypto";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { hintsFor } from "#kernel/masked-address.ts";
import { hasJoinedThemselves, peopleReaching } from "./members.store.ts";
import type { ReachingPerson } from "./members.store.ts";
import { bitOf, namesOf } from "./safes.policy.ts";

/** What lets a member at a secret, or lets them let others at it. */
const ACCESS = (["use", "retrieve", "manage_members", "approve_level_1", "approve_level_2"] as const)
  .map(bitOf)
  .reduce((bits, bit) => bits | bit);

const MOST_SHOWN = 100;

/**
 * Throws 409 `safe.people-gain-access` unless the mover joined the safe by their own act (they created it, or as an administrator
 * added themselves), nobody else has access there, or `confirmation` agrees to exactly the people who have it now. Whoever is
 * handed a membership, or a safe, has not chosen who else is there. The safe is held, so the people stay the same.
 */
export async function requireConfirmedPeople(
  db: Db,
  actor: Actor,
  safe: { id: string; name: string },
  confirmation: string | undefined,
): Promise<void> {
  if (await hasJoinedThemselves(db, safe.id, actor.id)) return;
  const people = (await peopleReaching(db, safe.id, ACCESS)).filter(({ id }) => id !== actor.id);
  const needed = confirmationOf(safe.id, actor.id, people);
  if (people.length === 0 || confirmation === needed) return;
  const who = people.length === 1 ? "1 person" : `${people.length} people`;
  throw refuse(
    409,
    "safe.people-gain-access",
    `${who} in the safe "${safe.name}" would gain access. Confirm who they are first. Nothing was moved.`,
    { peopleGainingAccess: present(safe.name, people, needed) },
  );
}

/** Another one as soon as somebody joins or leaves, or can do something else. */
const confirmationOf = (safeId: string, actorId: string, people: readonly ReachingPerson[]): string =>
  createHash("sha256")
    .update(JSON.stringify([safeId, actorId, people.map(({ id, permissions }) => `${id} ${permissions}`).toSorted()]))
    .digest("base64url");

function present(safe_name: string, people: readonly ReachingPerson[], confirmation: string): PeopleGainingAccess {
  const hints = hintsFor(people);
  const shown = people.map(({ name, permissions }, index) => ({
    name,
    hint: hints[index]!,
    can: namesOf(permissions & ACCESS),
  }));
  return { safe_name, total: people.length, people: shown.slice(0, MOST_SHOWN), confirmation };
}
