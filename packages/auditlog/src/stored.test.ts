import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ORIGIN, aLog, aSigner } from "../testing/sample-log.ts";
import { compareStored, encodeEntry, frontierAt, leafHash, noteSigner, signCheckpoint } from "./index.ts";
import type { StoredLeaf, StoredLog } from "./index.ts";

/** 100 entries, checkpoints after 1, 40, 64 and 100 of them, signed at 09:00 to 09:03. */
const log = aLog([1, 40, 64, 100]);

interface Tables {
  leaves: StoredLeaf[];
  checkpoints: string[];
}

function tables(): Tables {
  return {
    leaves: log.entries.map(({ index, entry, canonical }) => ({
      index,
      entryId: entry.id,
      leafHash: leafHash(canonical),
      canonical,
    })),
    checkpoints: log.checkpoints.map(({ note }) => note),
  };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function check({ leaves, checkpoints }: Tables, over: Partial<StoredLog> = {}) {
  const report = await compareStored({
    origin: ORIGIN,
    verifier: aSigner(),
    leaves: each(leaves),
    checkpoints: each(checkpoints),
    kept: [],
    ...over,
  });
  return { ...report, said: report.findings.map(({ kind, index, message }) => `${kind} ${index ?? "-"}: ${message}`) };
}

const id = (index: number) => log.entries[index]!.entry.id;
const rewritten = encodeEntry({ ...log.entries[41]!.entry, actor: { system: "Eve" } });
const bracket = (from: number, to: number, time: string) =>
  `rewritten ${from}: entries ${from} to ${to} are not what the checkpoint of 2026-11-21T${time}Z signed: ` +
  "at least one was changed, added, removed or moved";

describe("comparing a stored log", () => {
  it("finds an untouched log intact", async () => {
    const report = await check(tables(), { kept: [log.checkpoints.at(-1)!.note] });
    assert.deepEqual(report.said, []);
    assert.deepEqual([report.isIntact, report.entries, report.proven, report.checkpoints], [true, 100, 100, 5]);
  });

  const attacks: Record<string, [(stored: Tables) => void, string[]]> = {
    "an entry is deleted": [
      ({ leaves }) => leaves.splice(41, 1, { ...leaves[41]!, canonical: null }),
      [`deleted 41: entry 41 (${id(41)}) was deleted`],
    ],
    "an entry is deleted with its place in the tree": [
      ({ leaves }) => leaves.splice(41, 1),
      ["missing 41: entry 41 is missing: the tree's record of it was deleted"],
    ],
    "an entry is changed": [
      ({ leaves }) => leaves.splice(41, 1, { ...leaves[41]!, canonical: rewritten }),
      ["changed 41: entry 41 was changed"],
    ],
    "an entry and its leaf hash are changed": [
      ({ leaves }) => leaves.splice(41, 1, { ...leaves[41]!, canonical: rewritten, leafHash: leafHash(rewritten) }),
      [bracket(40, 63, "09:02:00")],
    ],
    "only a leaf hash is changed": [
      ({ leaves }) => leaves.splice(41, 1, { ...leaves[41]!, leafHash: Buffer.alloc(32) }),
      ["changed 41: the hash stored with entry 41 was changed; the entry itself was not"],
    ],
    "two entries' contents are swapped": [
      ({ leaves }) => {
        const [a, b] = [leaves[41]!, leaves[70]!];
        leaves[41] = { ...a, canonical: b.canonical };
        leaves[70] = { ...b, canonical: a.canonical };
      },
      ["swapped 41: entries 41 and 70 were swapped"],
    ],
    "two entries trade places in the tree": [
      ({ leaves }) => {
        const [a, b] = [leaves[41]!, leaves[50]!];
        leaves[41] = { ...b, index: 41 };
        leaves[50] = { ...a, index: 50 };
      },
      ["swapped 41: entries 41 and 50 were swapped"],
    ],
    "the tail is cut off after a checkpoint": [
      (stored) => {
        stored.leaves.splice(90);
      },
      [
        "truncated 90: the log ends at 90 but the checkpoint of 2026-11-21T09:03:00Z signed 100 entries: entries 90 to 99 are gone",
      ],
    ],
    "an entry is added after the end": [
      ({ leaves }) => leaves.push({ index: 100, entryId: "x", leafHash: leafHash(rewritten), canonical: rewritten }),
      ["added 100: entry 100 has an index that no checkpoint signed"],
    ],
    "the newest checkpoint is removed": [
      ({ checkpoints }) => checkpoints.pop(),
      ["added 64: entries 64 to 99 have indexes that no checkpoint signed"],
    ],
    "a checkpoint is changed": [
      ({ checkpoints }) => checkpoints.splice(2, 1, checkpoints[2]!.replace("\n64\n", "\n65\n")),
      [`signature -: signature does not match key ${log.key}: the stored checkpoint after 40 entries was changed`],
    ],
    "a checkpoint is forged": [
      ({ checkpoints }) => {
        const forger = noteSigner(ORIGIN, Buffer.alloc(32, 9));
        const checkpoint = { origin: ORIGIN, size: 64, root: Buffer.alloc(32) };
        checkpoints.splice(2, 1, signCheckpoint(checkpoint, forger, new Date()));
      },
      [`signature -: the stored checkpoint after 40 entries is not signed by key ${log.key}`],
    ],
    "two checkpoints are swapped": [
      ({ checkpoints }) => checkpoints.splice(1, 2, checkpoints[2]!, checkpoints[1]!),
      ["checkpoint -: the stored checkpoint over 40 entries is out of place"],
    ],
    "the whole log is replaced": [
      (stored) => {
        const other = aLog([100]);
        stored.leaves = other.entries.map(({ index, entry, canonical }) => ({
          index,
          entryId: entry.id,
          leafHash: leafHash(canonical),
          canonical,
        }));
      },
      ["rewritten 0: entry 0 is not what the checkpoint of 2026-11-21T09:00:00Z signed"],
    ],
  };
  for (const [attack, [spoil, expected]] of Object.entries(attacks)) {
    it(`reports a finding when ${attack}`, async () => {
      const stored = tables();
      spoil(stored);
      const report = await check(stored);
      assert.deepEqual(report.said, expected);
      assert.equal(report.isIntact, false);
    });
  }

  it("misses a tail truncated to an earlier checkpoint, unless a later one was kept elsewhere", async () => {
    const stored = { leaves: tables().leaves.slice(0, 64), checkpoints: tables().checkpoints.slice(0, 3) };
    assert.equal((await check(stored)).isIntact, true);
    assert.deepEqual((await check(stored, { kept: [log.checkpoints.at(-1)!.note] })).said, [
      "truncated 64: the log ends at 64 but the checkpoint of 2026-11-21T09:03:00Z signed 100 entries: entries 64 to 99 are gone",
    ]);
  });

  it("continues after a broken entry with the stored nodes", async () => {
    const stored = tables();
    stored.leaves.splice(41, 1);
    stored.leaves[80] = { ...stored.leaves[80]!, canonical: rewritten };
    const report = await check(stored, { recover: (size) => frontierAt(log.readNodes, size) });
    assert.deepEqual(report.said, [
      "missing 41: entry 41 is missing: the tree's record of it was deleted",
      "changed 81: entry 81 was changed",
    ]);
    assert.equal(report.proven, 40 + 35);
  });

  it("does not continue with unsigned stored nodes", async () => {
    const stored = tables();
    stored.leaves.splice(41, 1);
    const other = aLog([100]);
    const report = await check(stored, { recover: (size) => frontierAt(other.readNodes, size) });
    assert.equal(report.proven, 40);
  });
});
