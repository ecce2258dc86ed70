// Requires users who move accounts into a safe to confirm who gains access, unless they joined that safe by their own
// action.
import type { PeopleGainingAccess } from "@strongroom/contract";
import { createHash } from "node:crypto";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { hintsFor } from "#kernel/masked-address.ts";
import { joinedByOwnAct, peopleWithPermissions } from "./members.store.ts";
import type { PersonWithAccess } from "./members.store.ts";
import { bitOf, namesOf } from "../safes.policy.ts";

/** Permissions that give a member access to a secret, or let them give it to others. */
const ACCESS = (["use", "retrieve", "manage_members", "approve_level_1", "approve_level_2"] as const)
  .map(bitOf)
  .reduce((bits, bit) => bits | bit);

const MOST_SHOWN = 100;

/**
 * Throws 409 `safe.people-gain-access` unless the mover joined the safe by their own action (created it, or added
 * themselves as an administrator), no other user has access there, or `confirmation` matches exactly the users who have
 * access now. Movers who were given a membership or a safe did not choose its other members. The safe must be locked,
 * so that its members stay the same.
 */
export async function requireConfirmedPeople(
  db: Db,
  actor: Actor,
  safe: { id: string; name: string },
  confirmation: string | undefined,
): Promise<void> {
  if (await joinedByOwnAct(db, safe.id, actor.id)) return;
  const people = (await peopleWithPermissions(db, safe.id, ACCESS)).filter(({ id }) => id !== actor.id);
  const needed = confirmationOf(safe.id, actor.id, people);
  if (people.length === 0 || confirmation === needed) return;
  const who = people.length === 1 ? "1 person" : `${people.length} people`;
  throw refuse(
    409,
    "safe.people-gain-access",
    `${who} in the safe "${safe.name}" would gain access. Review and confirm them first. Nothing was moved.`,
    { peopleGainingAccess: present(safe.name, people, needed) },
  );
}

/** Returns a code that changes as soon as a user joins or leaves, or as their permissions change. */
const confirmationOf = (safeId: string, actorId: string, people: readonly PersonWithAccess[]): string =>
  createHash("sha256")
    .update(JSON.stringify([safeId, actorId, people.map(({ id, permissions }) => `${id} ${permissions}`).toSorted()]))
    .digest("base64url");

function present(safe_name: string, people: readonly PersonWithAccess[], confirmation: string): PeopleGainingAccess {
  const hints = hintsFor(people);
  const shown = people.map(({ name, permissions }, index) => ({
    name,
    hint: hints[index]!,
    can: namesOf(permissions & ACCESS),
  }));
  return { safe_name, total: people.length, people: shown.slice(0, MOST_SHOWN), confirmation };
}
