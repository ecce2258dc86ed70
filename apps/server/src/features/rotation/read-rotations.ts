// Reads rotations for users who may see the credential or account.
import type {
  Rotation,
  listAccountRotations,
  listCredentialRotations,
  readRotation as readEndpoint,
} from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { countOwnCredentials, credentialNotFound } from "#features/vault/index.ts";
import { notFound, toRotation } from "./rotation.ts";
import { listLines, listRotations, readRotation } from "./rotation.store.ts";
import type { ShownRotation } from "./rotation.store.ts";
import type { RotationContext } from "./context.ts";

interface Page {
  rotations: Rotation[];
  next_cursor: string | null;
}

export async function ofCredential(call: Call<typeof listCredentialRotations>, db: Db): Promise<Page> {
  const { id } = call.params;
  if ((await countOwnCredentials(db, call.actor, [id])) === 0) throw credentialNotFound();
  return page(call, db, id);
}

export async function ofAccount(
  context: RotationContext,
  call: Call<typeof listAccountRotations>,
  db: Db,
): Promise<Page> {
  await context.rotated.requireSeen(db, call.actor, call.params.id);
  return page(call, db, call.params.id);
}

async function page(
  { query }: Call<typeof listAccountRotations> | Call<typeof listCredentialRotations>,
  db: Db,
  id: string,
): Promise<Page> {
  const { limit, cursor } = query;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const rows = await listRotations(db, id, { limit: limit + 1, after });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    rotations: shown.map(toRotation),
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.started_at, id: last.id }),
  };
}

export async function readOne(context: RotationContext, call: Call<typeof readEndpoint>, db: Db) {
  const row = await seen(context, db, call.actor, call.params.id);
  const lines = await listLines(db, row.id);
  return { ...toRotation(row), journal: lines.map((line) => ({ ...line, at: line.at.toISOString() })) };
}

/** Throws 404 when the actor may not see the rotated credential or account. */
export async function seen(context: RotationContext, db: Db, actor: Actor, id: string): Promise<ShownRotation> {
  const row = await readRotation(db, id);
  if (row === null) throw notFound();
  if (row.user_id !== null) {
    if (row.user_id !== actor.id) throw notFound();
    return row;
  }
  try {
    await context.rotated.requireSeen(db, actor, row.credential_id);
  } catch (error) {
    throw error instanceof Refusal && error.status === 404 ? notFound() : error;
  }
  return row;
}
