// Lists attempts on secrets that the caller can see.
import type { ValidationAttempt, listValidationAttempts, validationHistory } from "@strongroom/contract";
import { MOST_COUNTED } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import { pageInOrder, readPlace } from "#kernel/db/list-order.ts";
import type { Call } from "#kernel/http/call.ts";
import { fold } from "#features/secrets/index.ts";
import { countOf, countWalked, findCandidates, listOf, walk } from "./attempts.store.ts";
import { orderOf } from "./attempt-order.ts";
import type { AttemptsQuery, FoundAttempt } from "./attempts.store.ts";
import { toAttempt } from "../validation.ts";
import type { ValidationContext } from "../validation.ts";
import { DAYS, DAY_MS } from "../validation.policy.ts";

/** With up to this many secrets, reading the attempts of each is faster than reading all attempts by age. */
const FEW = 2_000;

/** VAL-35, OPEN-131. */
export async function listAttempts(context: ValidationContext, call: Call<typeof listValidationAttempts>, db: Db) {
  const { limit, cursor, search, system, status, range, sort } = call.query;
  const query: AttemptsQuery = {
    actor: call.actor,
    grants: context.grants,
    text: textOf(search),
    system: system ?? null,
    status: status ?? null,
    since: new Date(context.kernel.clock.now().getTime() - DAYS[range] * DAY_MS),
    sort,
    limit: limit + 1,
    after: cursor === undefined ? null : readPlace(orderOf(sort), cursor),
  };
  const { rows, total } = await find(db, query);
  const { shown, next_cursor } = pageInOrder(rows, limit);
  return { attempts: shown.map(toAttempt), total, next_cursor };
}

/** VAL-72. */
export async function readHistory(
  context: ValidationContext,
  { actor, query }: Call<typeof validationHistory>,
  db: Db,
): Promise<{ data: ValidationAttempt[] }> {
  const any = { text: null, system: null, status: null, since: null, sort: undefined, after: null };
  const wish: AttemptsQuery = { actor, grants: context.grants, ...any, limit: query.limit };
  const ids = await findCandidates(db, wish, FEW);
  const rows = ids.length > FEW ? await walk(db, wish) : await listOf(db, wish, ids);
  return { data: rows.map(toAttempt) };
}

async function find(db: Db, query: AttemptsQuery): Promise<{ rows: FoundAttempt[]; total: number }> {
  const ids = await findCandidates(db, query, FEW);
  const areFew = ids.length <= FEW;
  const [rows, total] = await Promise.all([
    areFew ? listOf(db, query, ids) : walk(db, query),
    areFew ? countOf(db, query, ids, MOST_COUNTED) : countWalked(db, query, MOST_COUNTED),
  ]);
  return { rows, total };
}

/** Case-folded like the stored search text; null matches any text. */
export function textOf(search: string | undefined): string | null {
  const text = fold(search ?? "");
  return text === "" ? null : text;
}
