// The data of a running transaction: its pool, and hooks to call once it has committed.
import type pg from "pg";
import type { Transaction } from "kysely";
import type { Tables } from "./tables.ts";

type Tx = Transaction<Tables>;

interface Running {
  pool: pg.Pool;
  hooks: (() => void)[];
}

const running = new WeakMap<object, Running>();

/** For use by `Database` only. Returns the function to call after the commit. */
export function beginHooks(tx: Tx, pool: pg.Pool): () => void {
  const hooks: Running["hooks"] = [];
  running.set(tx, { pool, hooks });
  return () => {
    for (const hook of hooks) hook();
  };
}

/** Calls `hook` once `tx` has certainly committed: not after a rollback, nor when the outcome is unknown. */
export function afterCommit(tx: Tx, hook: () => void): void {
  running.get(tx)?.hooks.push(hook);
}

/** The pool of a transaction that `Database` began; undefined for any other transaction. */
export const poolOf = (tx: Tx): pg.Pool | undefined => running.get(tx)?.pool;
