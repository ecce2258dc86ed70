// `npm run recording-loss [-- ROUNDS [bucket]]`: kills gateway, server and database and fills the disk, or stops the object
// store, while users work (default 100 rounds), and prints how much of what they saw is missing from the recordings. The figures are in
// docs/recordings.md.
import { FAULTS } from "../e2e/testing/recording-loss/faults.ts";
import { judge, runRound } from "../e2e/testing/recording-loss/rounds.ts";
import type { Loss, Observed } from "../e2e/testing/recording-loss/rounds.ts";
import { openLossBed } from "../e2e/testing/recording-loss/test-bed.ts";

const rounds = Number(process.argv[2] ?? 100);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error("Give the number of rounds, such as 100.");
  process.exit(1);
}

const storesIn = process.argv[3] === "bucket" ? "bucket" : "folder";
const bed = await openLossBed(storesIn);
const losses: Loss[] = [];
try {
  const faults = FAULTS.filter(
    ({ needsDisk, needsBucket }) => needsBucket === (storesIn === "bucket") && (bed.hasDisk || !needsDisk),
  );
  if (!bed.hasDisk && storesIn === "folder")
    console.log("Rounds with a full disk are skipped: only root can create a separate disk for recordings.");
  const observed: Observed[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const fault = faults[round % faults.length]!;
    observed.push(...(await runRound(bed, fault)));
    console.log(`${round + 1} of ${rounds}: ${fault.name}`);
    // Checks the recordings after each pass through all faults, so that memory use stays bounded.
    if ((round + 1) % faults.length === 0) await judgeAll(observed.splice(0, observed.length - faults.length * 3));
  }
  await judgeAll(observed);
  const problems = await bed.trailProblems();
  if (problems.length > 0) throw new Error(`the audit trail is not intact: ${problems.join(" ")}`);
  for (const line of tableOf(losses)) console.log(line);
} catch (error) {
  console.log(bed.output().slice(-4000));
  throw error;
} finally {
  await bed.stop();
}
process.exit(losses.every(({ problem }) => problem === null) ? 0 : 1);

async function judgeAll(sessions: readonly Observed[]): Promise<void> {
  for (const session of sessions) {
    const loss = await judge(bed, session);
    losses.push(loss);
    if (loss.problem !== null) console.log(`  ${loss.fault}, ${loss.load}: ${loss.problem}`);
  }
}

function tableOf(all: readonly Loss[]): string[] {
  const rows = FAULTS.flatMap(({ name }) => {
    const these = all.filter(({ fault }) => fault === name);
    if (these.length === 0) return [];
    const most = (pick: (loss: Loss) => number) => Math.round(Math.max(...these.map(pick)));
    const incomplete = these.filter(({ missingBytes }) => missingBytes > 0).length;
    const failed = these.filter(({ problem }) => problem !== null).length;
    const kilobytes = (most((loss) => loss.missingBytes) / 1024).toFixed(1);
    return [
      `| ${name} | ${these.length} | ${incomplete} | ${kilobytes} kB | ${most((loss) => loss.missingMs)} ms | ${failed} |`,
    ];
  });
  return [
    "| Fault | Sessions | With missing output | Most missing | Longest missing | Problems |",
    "|---|---|---|---|---|---|",
    ...rows,
  ];
}
