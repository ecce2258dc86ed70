// Handles contradictions: states of the database that differ from state known outside the database. The log signs
// nothing until an administrator has decided; entries recorded in the meantime stay pending.
import type { Finding } from "@strongroom/auditlog";
import { authenticate, isAuthentic } from "@strongroom/keys";
import type { Kek, KeyRing } from "@strongroom/keys";
import { hash } from "node:crypto";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Clock } from "#kernel/clock.ts";
import type { Database, Db, Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { Log } from "#kernel/log.ts";
import type { Notify } from "#features/notifications/index.ts";
import { TAMPERING_FOUND } from "./alarm.ts";
import { findByFingerprint, insertContradiction, listAcceptedEntries } from "./contradictions.store.ts";
import type { ContradictionRow, FoundContradiction } from "./contradictions.store.ts";
import type { EvidenceFolder } from "../evidence/evidence-folder.ts";
import type { NewContradiction, Source } from "../tree/tree.ts";
import { newestCheckpoint, rowsAround } from "../tree/tree.store.ts";

/** The purpose of the key that authenticates data which the database's owner must not be able to write. */
export const INTEGRITY_PURPOSE = "audit-integrity";
const LABEL = "strongroom/audit-decision/v1";

/** Sources of contradictions that stop signing. The others concern single entries or the position of a sink. */
const STOPPING: ReadonlySet<Source> = new Set(["checkpoint", "tree", "signing-key", "witness", "sink"]);

interface Parts {
  database: Database;
  clock: Clock;
  log: Log;
  keys: KeyRing;
  evidence: EvidenceFolder;
  notify: Notify;
}

export interface Contradictions {
  /**
   * Saves the evidence and raises the alarm, once. Returns null while the contradiction is open, and the decision when
   * an administrator has accepted it.
   */
  report(found: NewContradiction): Promise<ContradictionRow | null>;
  /** Reads decisions about the contradictions that this process found, and returns those made since the last call. */
  refresh(): Promise<ContradictionRow[]>;
  /** Contradictions that this process found and no administrator has accepted. */
  open(): readonly FoundContradiction[];
  /** The administrator's decision, verified by its MAC; null if no administrator accepted the contradiction. */
  accepted(db: Db, found: NewContradiction): Promise<ContradictionRow | null>;
}

export async function openContradictions(parts: Parts): Promise<Contradictions> {
  const { database, clock, log, keys, evidence, notify } = parts;
  const open = new Map<string, FoundContradiction>();
  for (const found of await evidence.readOpen()) {
    open.set(found.fingerprint.toString("hex"), found);
    log.error(
      { source: found.source },
      `the audit trail was tampered with, and no administrator has decided yet: ${found.message}`,
    );
  }

  async function decisionIn(rows: readonly ContradictionRow[]): Promise<ContradictionRow | null> {
    const kek = await keys.kekFor(INTEGRITY_PURPOSE);
    return rows.find((row) => isDecided(kek, row)) ?? null;
  }

  async function record(found: FoundContradiction): Promise<void> {
    await database.transaction(async (tx) => {
      const isNew = await insertContradiction(tx, found);
      const [row] = await findByFingerprint(tx, [found.fingerprint]);
      // A decision in the database that was not made by an administrator.
      const isForged = row !== undefined && row.accepted_at !== null && (await decisionIn([row])) === null;
      if (isForged) await reopen(tx, row.id);
      if (isNew || isForged) await tell(tx, found);
    });
  }

  async function tell(tx: Tx, { message, source, kind, leaf_index: index, is_stopping, id }: FoundContradiction) {
    const details = { contradiction: id, source, count: 1, findings: [{ kind, index, message }] };
    const note = { result: "failure", reason: message, details } as const;
    await appendAudit(tx, [systemEntry(TAMPERING_FOUND, "audit", note, clock.now())]);
    const effect = is_stopping ? " Signing has stopped until an administrator decides." : "";
    await notify(tx, {
      to: { users: [], roles: ["admin"] },
      type: "critical_failure",
      title: "The audit trail was tampered with",
      message: `${message[0]?.toUpperCase()}${message.slice(1)}.${effect}`,
      severity: "critical",
      actionRequired: true,
      metadata: { source },
      link: "/audit-logs",
      dedupeKey: id,
    });
  }

  return {
    open: () => [...open.values()],
    accepted: async (db, found) => decisionIn(await findByFingerprint(db, [fingerprintOf(found)])),
    async report(found) {
      const fingerprint = fingerprintOf(found);
      const key = fingerprint.toString("hex");
      if (open.has(key)) return null;
      const decision = await decisionIn(await findByFingerprint(database.db, [fingerprint]));
      if (decision !== null) return decision;
      const row: FoundContradiction = {
        id: newId(clock.now().getTime()),
        fingerprint,
        source: found.source,
        subject: found.subject,
        is_stopping: STOPPING.has(found.source),
        kind: found.finding.kind,
        leaf_index: found.finding.index,
        message: found.finding.message,
        known_note: found.known,
        stored_note: (await newestCheckpoint(database.db))?.note ?? null,
        found_at: clock.now(),
      };
      log.error({ source: row.source, kind: row.kind }, `the audit trail was tampered with: ${row.message}`);
      await evidence.save(row, await rowsAround(database.db, found.finding.index));
      open.set(key, row);
      await record(row);
      return null;
    },
    async refresh() {
      const rows = await findByFingerprint(
        database.db,
        [...open.values()].map(({ fingerprint }) => fingerprint),
      );
      const decided: ContradictionRow[] = [];
      for (const [key, found] of open) {
        const row = rows.find(({ fingerprint }) => fingerprint.toString("hex") === key);
        const decision = row === undefined ? null : await decisionIn([row]);
        if (decision !== null) {
          await evidence.close(found, decision);
          open.delete(key);
          decided.push(decision);
        } else if (row === undefined || row.accepted_at !== null) await record(found);
      }
      return decided;
    },
  };
}

const reopen = (tx: Tx, id: string) =>
  tx
    .updateTable("audit_contradictions")
    .set({ accepted_at: null, accepted_by: null, reason: null, base_note: null, mac: null })
    .where("id", "=", id)
    .execute();

/** SHA-256 of the contradiction, so that two processes with the same finding record it once. */
export const fingerprintOf = ({ source, subject, claim }: NewContradiction): Buffer =>
  hash("sha256", JSON.stringify([source, subject, claim]), "buffer");

type Decided = Pick<ContradictionRow, "fingerprint" | "accepted_at" | "accepted_by" | "reason" | "base_note">;

/** INVARIANT: only a process with the vault's keys can record a decision. */
export function decisionMac(kek: Kek, { fingerprint, accepted_at, accepted_by, reason, base_note }: Decided): Buffer {
  const said = [accepted_at?.toISOString(), accepted_by, reason, base_note].map((text) => text ?? "");
  return authenticate(kek, LABEL, fingerprint, ...said);
}

const isDecided = (kek: Kek, row: ContradictionRow): boolean =>
  row.accepted_at !== null && row.mac !== null && isAuthentic(row.mac, decisionMac(kek, row));

export const findingOf = ({ kind, leaf_index: index, message }: FoundContradiction): Finding => ({
  kind,
  index,
  message,
});

/** Ids of unsigned entries that an administrator has accepted. */
export async function acceptedEntries(db: Db, keys: KeyRing): Promise<ReadonlySet<string>> {
  const rows = await listAcceptedEntries(db);
  if (rows.length === 0) return new Set();
  const kek = await keys.kekFor(INTEGRITY_PURPOSE);
  return new Set(rows.filter((row) => isDecided(kek, row)).map(({ subject }) => subject));
}
