// `npm run rotation-safety [-- target …]`: injects faults into every step of rotations on real targets and writes docs/rotation-safety.md.
import { startPostgresql } from "@strongroom/connectors/testing";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MACHINES, openTestBed } from "../e2e/testing/rotation-safety/test-bed.ts";
import { pageWith, sectionOf } from "../e2e/testing/rotation-safety/report.ts";
import { cutsAt, killsAt, pointsOf, someOf, injectAll } from "../e2e/testing/rotation-safety/injections.ts";
import type { InjectionResult } from "../e2e/testing/rotation-safety/injections.ts";
import { KINDS } from "../e2e/testing/rotation-safety/subjects.ts";
import type { Kind } from "../e2e/testing/rotation-safety/test-bed.ts";

const PAGE = join(import.meta.dirname, "../docs/rotation-safety.md");
/** Longer than the product's time limit for an answer. */
const PAUSE_MS = 30_000;
const TIMEOUT_MS = 300_000;
/**
 * Limits the injection points of protocols with many small pieces: some pieces of each connection, and its last ones.
 */
const MOST_KILLED = Number(process.env.MOST_PIECES ?? 12);
const MOST_CUT = Math.min(8, MOST_KILLED);

async function injectFaults(kind: Kind): Promise<{ section: string; isGood: boolean }> {
  const store = await startPostgresql();
  const subject = await kind.start(MACHINES);
  const testBed = await (kind.testBed ?? openTestBed)(store, subject, "strongroom");
  try {
    const points = await pointsOf(testBed);
    const writes = points.filter(({ kind: of }) => of === "write");
    const injections = [
      ...killsAt([...writes, ...someOf(points, MOST_KILLED)]),
      ...cutsAt(someOf(points, MOST_CUT), ["pause", "reset", "black-hole"]),
    ];
    const report = ({ injection: { how, when, point }, problem }: InjectionResult) => {
      if (problem !== null) console.log(`  ${how} ${when} ${JSON.stringify(point)}: ${problem}`);
    };
    console.log(`${subject.name}: ${injections.length} rotations`);
    const all = await injectAll(testBed, injections, { timeoutMs: TIMEOUT_MS, pauseMs: PAUSE_MS }, report);
    const isGood = all.every(({ problem }) => problem === null);
    if (!isGood) console.log(testBed.output().slice(-4_000));
    return { section: sectionOf(subject, all, new Date()), isGood };
  } catch (error) {
    console.log(testBed.output().slice(-4_000));
    throw error;
  } finally {
    await testBed.stop();
    await subject.stop();
    await store.stop();
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !KINDS.some((kind) => kind.name === name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Available: ${KINDS.map(({ name }) => name).join(", ")}.`);
  process.exit(1);
}
let isAllGood = true;
for (const kind of KINDS) {
  if (wanted.length > 0 && !wanted.includes(kind.name)) continue;
  if (kind.needs.skip !== undefined) {
    console.log(`${kind.name}: skipped, ${kind.needs.skip}`);
    continue;
  }
  const { section, isGood } = await injectFaults(kind);
  isAllGood &&= isGood;
  writeFileSync(PAGE, pageWith(existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "", [section]));
  console.log(section);
}
process.exit(isAllGood ? 0 : 1);
