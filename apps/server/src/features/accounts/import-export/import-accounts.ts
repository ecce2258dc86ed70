// Imports accounts from CSV: reports every bad line, and stores all accounts, only the good lines, or nothing.
import type { ReplyOf, importAccounts as importEndpoint } from "@strongroom/contract";
import type { Kek } from "@strongroom/keys";
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { keyOfSafe } from "#features/secrets/index.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import { readAccounts } from "./account-csv.ts";
import type { BadLine, GoodLine, NameLookups } from "./account-csv.ts";
import { insertAccount } from "../crud/create-account.ts";
import type { AccountDeps } from "../deps.ts";

type Import = SteppedCall<typeof importEndpoint>;
type Reply = ReplyOf<typeof importEndpoint>;

export async function importAccounts(deps: AccountDeps, call: Import): Promise<Reply> {
  const { csv, dry_run, skip_bad_lines, safe_id } = call.body;
  const names = await namesFor(deps.kernel.database.db, call.actor, safe_id);
  const { good, bad } = readAccounts(csv, names);
  const isStored = !dry_run && good.length > 0 && (bad.length === 0 || skip_bad_lines);
  call.note({
    result: isStored || dry_run ? (dry_run ? "info" : "success") : "failure",
    details: { dry_run, good: good.length, bad: bad.length, imported: isStored ? good.length : 0 },
  });
  const keks = isStored ? await keksFor(deps, good) : new Map<string, Kek>();
  const reply: Reply = {
    imported: isStored ? good.length : 0,
    good: good.length,
    bad,
    message: messageOf(isStored, dry_run, good, bad),
  };
  const work = async (tx: Tx): Promise<Reply> => {
    if (isStored) await storeAll(deps, tx, call.actor, good, keks);
    return reply;
  };
  return call.commit(work, (stored) => stored);
}

async function storeAll(
  deps: AccountDeps,
  tx: Tx,
  actor: Actor,
  good: readonly GoodLine[],
  keks: ReadonlyMap<string, Kek>,
): Promise<void> {
  const at = deps.kernel.clock.now();
  // Lock safes in the order of their ids, as everywhere else.
  const ordered = good.toSorted((a, b) => (a.account.safe_id < b.account.safe_id ? -1 : 1));
  for (const { account } of ordered) {
    const kek = keks.get(account.safe_id)!;
    await insertAccount(deps, tx, { fields: account, actor, kek, at, reason: "imported" });
  }
}

async function keksFor({ kernel }: AccountDeps, good: readonly GoodLine[]): Promise<Map<string, Kek>> {
  const keks = new Map<string, Kek>();
  for (const safeId of new Set(good.map(({ account }) => account.safe_id))) {
    keks.set(safeId, await kernel.keys.kekFor(keyOfSafe(safeId)));
  }
  return keks;
}

/** Resolves active platforms, and safes to which this user may add accounts. An ambiguous name matches nothing. */
async function namesFor(db: Db, actor: Actor, chosenSafe: string | undefined): Promise<NameLookups> {
  const platforms = await db
    .selectFrom("platforms")
    .select(["id", "name", "system_type", "connection_method"])
    .where("is_active", "=", true)
    .where("deleted_at", "is", null)
    .execute();
  const { rows: safes } = await sql<{ id: string; name: string }>`
    select safes.id, safes.name from ${effectivePermissionsOf(actor)} mine join safes on safes.id = mine.safe_id
    where mine.permissions & ${sql.lit(bitOf("add"))} <> 0`.execute(db);
  if (chosenSafe !== undefined && !safes.some(({ id }) => id === chosenSafe)) {
    throw refuse(404, "safe.not-found", "Safe not found");
  }
  const [platform, safe] = [byNameOrId(platforms), byNameOrId(safes)];
  return {
    platform,
    safe: (name) => (name === "" ? (chosenSafe ?? null) : (safe(name)?.id ?? null)),
  };
}

function byNameOrId<T extends { id: string; name: string }>(things: readonly T[]): (nameOrId: string) => T | null {
  const known = new Map<string, T | null>();
  for (const thing of things) {
    const name = thing.name.toLowerCase();
    known.set(name, known.has(name) ? null : thing);
  }
  for (const thing of things) known.set(thing.id, thing);
  return (nameOrId) => known.get(nameOrId.toLowerCase()) ?? null;
}

function messageOf(isStored: boolean, isDryRun: boolean, good: readonly GoodLine[], bad: readonly BadLine[]): string {
  const badLines = new Set(bad.map(({ line }) => line)).size;
  const lines = (count: number) => (count === 1 ? "1 line" : `${count} lines`);
  const found = `${lines(good.length)} can be imported, ${lines(badLines)} cannot`;
  if (isDryRun) return `Dry run: ${found}. Nothing was stored.`;
  if (isStored) return `Imported ${good.length === 1 ? "1 account" : `${good.length} accounts`}`;
  return `Nothing was imported: ${found}.`;
}
