// Rotations through the product, compared with a bare loop that changes and verifies passwords with the same drivers and
// concurrency on real servers; then the same with two server processes.
import { HEADER, compared, openBenchPair, printRound } from "./support/compare-with-loop.ts";
import type { Side } from "./support/compare-with-loop.ts";
import { cpuOf } from "./support/processes.ts";
import { storeCredentials, untilRotated } from "./support/strongroom.ts";
import { figure, printTable } from "./support/table.ts";
import { SYSTEMS, credentialOf } from "./support/targets.ts";

const COUNT = Number(process.env.BENCH_COUNT ?? 1_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const OF_EACH = Math.ceil(COUNT / SYSTEMS.length);
/** Each target has two addresses, and the product uses each address at most twice at once. */
const AT_ONCE = 4;
/** Accounts of the bare loop; no other code changes their passwords. */
const BARE = 30;

const pair = await openBenchPair(OF_EACH + BARE);
const { server, targets } = pair;
await pair.disableFirstVerification();
const own = { from: 0, to: OF_EACH };
const lists = SYSTEMS.map((system) => targets.logins(system, OF_EACH, own));
const mixed = lists[0]!.flatMap((_, place) => lists.map((list) => list[place]!)).slice(0, COUNT);
const ids = await storeCredentials(server, COUNT, (index) => credentialOf(mixed[index]!, `login ${index}`));
const bareLists = SYSTEMS.map((system) => targets.logins(system, OF_EACH, { from: OF_EACH, to: OF_EACH + BARE }));
const bareMixed = bareLists[0]!.flatMap((_, place) => bareLists.map((list) => list[place]!)).slice(0, COUNT);

const rotate = (chosen: readonly string[]) => async () =>
  untilRotated(server, await server.request("POST", "/api/v1/rotations/runs", { credential_ids: chosen }));

async function roundsOf(
  name: string,
  chosen: readonly string[],
  { logins, concurrency, rounds }: { logins: typeof mixed; concurrency: number; rounds: number },
) {
  const all: { product: Side; bare: Side }[] = [];
  for (let round = 0; round < rounds; round++) {
    const product = await pair.product(chosen.length, rotate(chosen));
    const both = { product, bare: await pair.bare({ logins, concurrency, isChange: true }) };
    printRound(name, chosen.length, both);
    all.push(both);
  }
  return all;
}

const rows: string[][] = [];
for (const [place, system] of SYSTEMS.entries()) {
  const chosen = ids.filter((_, index) => mixed[index]!.system === system);
  await pair.product(20, rotate(chosen.slice(0, 20)));
  const logins = bareLists[place]!.slice(0, chosen.length);
  const rounds = await roundsOf(system, chosen, { logins, concurrency: AT_ONCE, rounds: 1 });
  rows.push([system, String(chosen.length), ...compared(rounds)]);
}
const MIXED = "all three, mixed";
const together = await roundsOf(MIXED, ids, {
  logins: bareMixed,
  concurrency: AT_ONCE * SYSTEMS.length,
  rounds: ROUNDS,
});
rows.push([MIXED, String(COUNT), ...compared(together)]);
printTable(["rotations", "each round", ...HEADER], rows);

const second = await pair.second();
const both = [server, second];
const before = both.map(({ pid }) => cpuOf(pid));
const seconds = await rotate(ids)();
const cpu = both.map(({ pid }, place) => cpuOf(pid) - before[place]!);
const { rows: done } = await pair.database.query<{ once: number; more: number }>(
  `select count(*) filter (where times = 1)::int as once, count(*) filter (where times > 1)::int as more
   from (select count(*) as times from rotations
         where run_id = (select id from rotation_runs order by started_at desc limit 1) group by credential_id) each`,
);
printTable(
  ["rotations of two processes", "per second", "CPU s of the first / second", "changed once", "several times"],
  [[String(COUNT), figure(COUNT / seconds), cpu.map(figure).join(" / "), String(done[0]!.once), String(done[0]!.more)]],
);
await second.stop();
await pair.stop();
