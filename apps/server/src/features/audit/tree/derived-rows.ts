// Checks the rows that the sequencer derives from entries (tree nodes, search names) while all entries are read.
import { EMPTY_FRONTIER, appendLeaves } from "@strongroom/auditlog";
import type { Finding, TreeNode } from "@strongroom/auditlog";
import type { Db } from "#kernel/db/database.ts";
import { missingNames } from "../trail/names.store.ts";
import type { NamedSubject } from "../trail/names.store.ts";
import { mainNamesIn } from "../trail/subject-names.ts";
import { hasNodesBeyond, readNodes } from "./tree.store.ts";
import type { LeafWithEntry } from "./tree.store.ts";

const PAGE = 1000;
const MOST_MISSING = 10_000;
const MOST_KNOWN = 50_000;

export interface RowCheck {
  take: (leaf: LeafWithEntry) => Promise<void>;
  end: () => Promise<void>;
}

/** Proofs use stored nodes: a changed node makes genuine entries look forged. */
export function createNodeCheck(db: Db, add: (finding: Finding) => void): RowCheck {
  let frontier = EMPTY_FRONTIER;
  let hashes: Buffer[] = [];
  let isBroken = false;

  async function flush(): Promise<void> {
    const { frontier: next, nodes } = appendLeaves(frontier, hashes);
    [frontier, hashes] = [next, []];
    const stored = await readNodes(db, nodes);
    for (const [place, node] of nodes.entries()) {
      const hash = stored[place];
      if (hash === null) add(finding(node, "is missing"));
      else if (!hash?.equals(node.hash)) add(finding(node, "was changed"));
    }
  }

  return {
    async take({ index, leafHash }) {
      // After a gap no node can be computed; the gap itself is reported elsewhere.
      isBroken ||= index !== frontier.size + hashes.length;
      if (isBroken) return;
      hashes.push(leafHash);
      if (hashes.length === PAGE) await flush();
    },
    async end() {
      if (isBroken) return;
      await flush();
      if (await hasNodesBeyond(db))
        add({ kind: "added", index: null, message: "the tree has nodes over entries that do not exist" });
    },
  };
}

function finding({ level, index }: TreeNode, what: string): Finding {
  const [from, to] = [index * 2 ** level, (index + 1) * 2 ** level - 1];
  return { kind: "changed", index: from, message: `the stored node over entries ${from} to ${to} ${what}` };
}

/** Lists show entries in the order of `seq`, which must be tree order. */
export function createOrderCheck(add: (finding: Finding) => void): RowCheck {
  let last = 0;
  return {
    async take({ index, listed }) {
      if (listed === null) return;
      if (listed.seq <= last) {
        add({ kind: "changed", index, message: `entry ${index} is listed before earlier entries of the log` });
      }
      last = listed.seq;
    },
    end: async () => {},
  };
}

/** The search finds users and targets by their newest name. */
export function createNameCheck(db: Db, add: (finding: Finding) => void): RowCheck {
  const known = new Set<string>();
  const missing = new Map<string, NamedSubject>();
  let fresh = new Map<string, NamedSubject>();

  async function flush(): Promise<void> {
    const gone = new Set((await missingNames(db, [...fresh.values()])).map(keyOf));
    for (const [key, name] of fresh) {
      if (!gone.has(key)) missing.delete(subjectOf(name));
      else if (missing.size < MOST_MISSING) missing.set(subjectOf(name), name);
      else continue;
      if (!gone.has(key)) known.add(key);
    }
    if (known.size > MOST_KNOWN) known.clear();
    fresh = new Map();
  }

  return {
    async take({ canonical }) {
      for (const name of canonical === null ? [] : mainNamesIn(canonical)) {
        if (known.has(keyOf(name)) && !missing.has(subjectOf(name))) continue;
        fresh.delete(keyOf(name));
        fresh.set(keyOf(name), name);
      }
      if (fresh.size >= PAGE) await flush();
    },
    async end() {
      await flush();
      for (const { name, subject } of missing.values()) {
        const message = `the name "${name}" (${subject}) is missing from the search`;
        add({ kind: "changed", index: null, message });
      }
    },
  };
}

const subjectOf = ({ kind, subject }: NamedSubject): string => `${kind} ${subject}`;
const keyOf = ({ kind, subject, name }: NamedSubject): string => `${kind} ${subject} ${name}`;
