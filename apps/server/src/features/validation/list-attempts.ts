// Lists attempts on what the caller sees.
import type { ValidationAttempt, listValidationAttempts, validationHistory } from "@strongroom/contract";
import { MOST_COUNTED } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { fold } from "#features/credentials/index.ts";
import { countOf, countWalked, findCandidates, listOf, walk } from "./attempts.store.ts";
import type { AttemptsWish, FoundAttempt } from "./attempts.store.ts";
import { toAttempt } from "./validation.ts";
import type { Site } from "./validation.ts";
import { DAYS, DAY_MS } from "./validation.policy.ts";

/** The attempts of so many are rather looked up one by one than read on for. */
const FEW = 2_000;

/** VAL-35, OPEN-131. */
export async function listAttempts(site: Site, call: Call<typeof listValidationAttempts>, db: Db) {
  const { limit, cursor, search, system, status, range } = call.query;
  const wish: AttemptsWish = {
    actor: call.actor,
    grants: site.grants,
    text: textOf(search),
    system: system ?? null,
    status: status ?? null,
    since: new Date(site.kernel.clock.now().getTime() - DAYS[range] * DAY_MS),
    limit: limit + 1,
    after: cursor === undefined ? null : readTimePlace(cursor),
  };
  const { rows, total } = await find(db, wish);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    attempts: shown.map(toAttempt),
    total,
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.started_at, id: last.id }),
  };
}

/** VAL-72. */
export async function readHistory(
  site: Site,
  { actor, query }: Call<typeof validationHistory>,
  db: Db,
): Promise<{ data: ValidationAttempt[] }> {
  const any = { text: null, system: null, status: null, since: null, after: null };
  const wish: AttemptsWish = { actor, grants: site.grants, ...any, limit: query.limit };
  const ids = await findCandidates(db, wish, FEW);
  const rows = ids.length > FEW ? await walk(db, wish) : await listOf(db, wish, ids);
  return { data: rows.map(toAttempt) };
}

async function find(db: Db, wish: AttemptsWish): Promise<{ rows: FoundAttempt[]; total: number }> {
  const ids = await findCandidates(db, wish, FEW);
  const areFew = ids.length <= FEW;
  const [rows, total] = await Promise.all([
    areFew ? listOf(db, wish, ids) : walk(db, wish),
    areFew ? countOf(db, wish, ids, MOST_COUNTED) : countWalked(db, wish, MOST_COUNTED),
  ]);
  return { rows, total };
}

/** Folded as what is stored is; null: any. */
export function textOf(search: string | undefined): string | null {
  const text = fold(search ?? "");
  return text === "" ? null : text;
}
