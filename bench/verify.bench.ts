// Verifications through the product, compared with a bare loop with the same drivers and concurrency on real servers; then
// 10,000 of them shared by two server processes.
import type { BareLogin } from "@strongroom/connectors/testing";
import { HEADER, compared, openBenchPair, printRound } from "./support/compare-with-loop.ts";
import { countLogins } from "./support/counting-target.ts";
import { cpuOf } from "./support/processes.ts";
import { storeCredentials, untilEnded } from "./support/strongroom.ts";
import { figure, printTable } from "./support/table.ts";
import { SYSTEMS, credentialOf } from "./support/targets.ts";

const COUNT = Number(process.env.BENCH_COUNT ?? 5_000);
const OF_ONE_SYSTEM = Math.min(1_000, COUNT);
const SHARED = Number(process.env.BENCH_SHARED ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ACCOUNTS = 12;
/** Workers per run: the same concurrency that the product uses. */
const CONCURRENCY = 4;

const pair = await openBenchPair(ACCOUNTS);
const { server, database, targets } = pair;
await pair.disableFirstVerification();

const lists = SYSTEMS.map((system) => targets.logins(system, Math.ceil(COUNT / SYSTEMS.length)));
const mixed = lists[0]!.flatMap((_, place) => lists.map((list) => list[place]!)).slice(0, COUNT);
const ids = await storeCredentials(server, COUNT, (index) => credentialOf(mixed[index]!, `login ${index}`));

const verifySome = (chosen: readonly string[]) => async () =>
  untilEnded(server, await server.request("POST", "/api/v1/credentials/verify-multiple", { credential_ids: chosen }));
const verifyAll = async () => untilEnded(server, await server.request("POST", "/api/v1/credentials/verify-all"));

async function rowOf(name: string, logins: BareLogin[], verify: () => Promise<number>): Promise<string[]> {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const product = await pair.product(logins.length, verify);
    const both = { product, bare: await pair.bare({ logins, concurrency: CONCURRENCY }) };
    printRound(name, logins.length, both);
    rounds.push(both);
  }
  return [name, String(logins.length), ...compared(rounds)];
}

const rows: string[][] = [];
for (const system of SYSTEMS) {
  const places = mixed.map((_, place) => place).filter((place) => mixed[place]!.system === system);
  const some = places.slice(0, OF_ONE_SYSTEM);
  const chosen = some.map((place) => ids[place]!);
  const logins = some.map((place) => mixed[place]!);
  await pair.product(logins.length, verifySome(chosen.slice(0, 100)));
  rows.push(await rowOf(system, logins, verifySome(chosen)));
}
rows.push(await rowOf("all three, mixed", mixed, verifyAll));
printTable(["verifications", "each round", ...HEADER], rows);

if (SHARED > 0) await share(SHARED);
await pair.stop();

/** Two processes on one database, and a target that counts each token. */
async function share(count: number): Promise<void> {
  const counting = await countLogins();
  const second = await pair.second();
  const both = [server, second];
  const tokens = await storeCredentials(server, count, (index) => counting.credential(index));
  const before = both.map(({ pid }) => cpuOf(pid));
  const started = performance.now();
  const runs = [];
  for (let place = 0; place < tokens.length; place += 1_000) {
    const chosen = tokens.slice(place, place + 1_000);
    runs.push(verifySome(chosen)());
  }
  await Promise.all(runs);
  const seconds = (performance.now() - started) / 1000;
  const cpu = both.map(({ pid }, place) => cpuOf(pid) - before[place]!);
  const { rows: attempts } = await database.query<{ all: number; verified: number }>(
    `select count(*)::int as all, count(*) filter (where outcome = 'verified')::int as verified
     from verification_attempts where credential_id = any($1::uuid[])`,
    [tokens],
  );
  const { once, more } = counting.tally();
  printTable(
    [
      "jobs of two processes",
      "per second",
      "CPU s of the first / second",
      "logged in once",
      "several times",
      "attempts",
      "verified",
    ],
    [
      [
        String(count),
        figure(count / seconds),
        cpu.map(figure).join(" / "),
        ...[once, more, attempts[0]!.all, attempts[0]!.verified].map(String),
      ],
    ],
  );
  await second.stop();
  await counting.stop();
  if (once !== count || more > 0 || attempts[0]!.all !== count) throw new Error("a job was done twice, or not at all");
}
