// `npm run rotation-safety [-- system …]`: strikes rotations at every step on real systems and writes docs/rotation-safety.md.
import { startPostgresql } from "@strongroom/connectors/testing";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MACHINES, openGround } from "../e2e/testing/rotation-safety/ground.ts";
import { pageWith, sectionOf } from "../e2e/testing/rotation-safety/report.ts";
import { cutsAt, killsAt, placesOf, someOf, strikeAll } from "../e2e/testing/rotation-safety/strikes.ts";
import type { Struck } from "../e2e/testing/rotation-safety/strikes.ts";
import { KINDS } from "../e2e/testing/rotation-safety/subjects.ts";
import type { Kind } from "../e2e/testing/rotation-safety/subject.ts";

const PAGE = join(import.meta.dirname, "../docs/rotation-safety.md");
/** Longer than the product waits for an answer. */
const PAUSE_MS = 30_000;
const PATIENCE_MS = 300_000;
/** Of a protocol of many small pieces not all are struck at: some of each connection, and its last ones. */
const MOST_KILLED = Number(process.env.MOST_PIECES ?? 12);
const MOST_CUT = Math.min(8, MOST_KILLED);

async function strike(kind: Kind): Promise<{ section: string; isGood: boolean }> {
  const store = await startPostgresql();
  const subject = await kind.start(MACHINES);
  const ground = await (kind.ground ?? openGround)(store, subject, "strongroom");
  try {
    const places = await placesOf(ground);
    const writes = places.filter(({ kind: of }) => of === "write");
    const strikes = [
      ...killsAt([...writes, ...someOf(places, MOST_KILLED)]),
      ...cutsAt(someOf(places, MOST_CUT), ["pause", "reset", "black-hole"]),
    ];
    const tell = ({ strike: { how, when, place }, problem }: Struck) => {
      if (problem !== null) console.log(`  ${how} ${when} ${JSON.stringify(place)}: ${problem}`);
    };
    console.log(`${subject.name}: ${strikes.length} rotations`);
    const all = await strikeAll(ground, strikes, { patienceMs: PATIENCE_MS, pauseMs: PAUSE_MS }, tell);
    const isGood = all.every(({ problem }) => problem === null);
    if (!isGood) console.log(ground.output().slice(-4_000));
    return { section: sectionOf(subject, all, new Date()), isGood };
  } catch (error) {
    console.log(ground.output().slice(-4_000));
    throw error;
  } finally {
    await ground.stop();
    await subject.stop();
    await store.stop();
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !KINDS.some((kind) => kind.name === name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}. There are: ${KINDS.map(({ name }) => name).join(", ")}.`);
  process.exit(1);
}
let isAllGood = true;
for (const kind of KINDS) {
  if (wanted.length > 0 && !wanted.includes(kind.name)) continue;
  if (kind.needs.skip !== undefined) {
    console.log(`${kind.name}: left out, ${kind.needs.skip}`);
    continue;
  }
  const { section, isGood } = await strike(kind);
  isAllGood &&= isGood;
  writeFileSync(PAGE, pageWith(existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "", [section]));
  console.log(section);
}
process.exit(isAllGood ? 0 : 1);
