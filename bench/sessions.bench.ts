// SSH sessions through the gateway, each figure compared with the direct connection in the same run. Rounds in which the
// direct connection itself was disturbed are void. Parts: keystrokes, scp, memory, reveals, watch (`BENCH_PARTS`).
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "ssh2";
import { WebSocket } from "ws";
import { load } from "./support/load.ts";
import { cpuOf, residentOf } from "./support/processes.ts";
import { openSessionWorld, startSshLoad } from "./support/session-world.ts";
import type { SessionWorld, SshLoad } from "./support/session-world.ts";
import { addCredentials } from "./support/strongroom.ts";
import { figure, median, printTable, withRange } from "./support/table.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const KEYS = Number(process.env.BENCH_KEYS ?? 250);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const MEGABYTES = Number(process.env.BENCH_MEGABYTES ?? 200);
/** Numbers of concurrent busy sessions while keystrokes are measured. */
const BESIDE = (process.env.BENCH_BESIDE ?? "0,100").split(",").map(Number);
const PARTS = (process.env.BENCH_PARTS ?? "keystrokes,scp,memory,reveals,watch").split(",");
/** Lines a second of a busy and of a slow terminal. */
const [BUSY, SLOW] = [50, 2];
/** A round is void when the 99th percentile of the direct connection is above this, in milliseconds. */
const VOID_ABOVE_MS = 5;
const WAYS = ["direct", "gateway"] as const;
type Way = (typeof WAYS)[number];

const world: SessionWorld = await openSessionWorld();
const terminals: SshLoad = await startSshLoad();
const typist: SshLoad = await startSshLoad();

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const openTerminals = (way: Way, sessions: number, linesPerSecond: number) =>
  terminals.do({ kind: "open", login: world.logins[way], sessions, linesPerSecond });

const closeTerminals = () => terminals.do({ kind: "close" });

/** The rounds that count: those whose direct connection was not disturbed, or else all. */
function valid<R extends { isVoid: boolean }>(rounds: readonly R[]): readonly R[] {
  const kept = rounds.filter(({ isVoid }) => !isVoid);
  return kept.length > 0 ? kept : rounds;
}

const validText = (rounds: readonly { isVoid: boolean }[]) =>
  `${rounds.filter(({ isVoid }) => !isVoid).length} of ${rounds.length}`;

interface Busy {
  /** CPU of the whole gateway, in per cent of a core. */
  cpu: number;
  /** Stored bytes of one session per hour. */
  stored: number;
}

/** The first recording creates the folder. */
function storedBytes(folder = world.recordings): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function keystrokes(): Promise<void> {
  const rows: string[][] = [];
  const busy: Busy[] = [];
  for (const others of BESIDE) {
    const rounds: (Record<Way, number[]> & { isVoid: boolean })[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const times: Record<Way, number[]> = { direct: [], gateway: [] };
      for (const way of WAYS) {
        if (others > 0) await openTerminals(way, others, BUSY);
        await delay(1000);
        const before = { cpu: cpuOf(world.gatewayPid), bytes: storedBytes(), at: performance.now() };
        times[way] = await typist.do({ kind: "keystrokes", login: world.logins[way], count: KEYS, gapMs: 15 });
        if (others > 0 && way === "gateway") {
          await delay(Math.max(0, 10_000 - (performance.now() - before.at)));
          const seconds = (performance.now() - before.at) / 1000;
          const stored = ((storedBytes() - before.bytes) / others / seconds) * 3600;
          busy.push({ cpu: ((cpuOf(world.gatewayPid) - before.cpu) / seconds) * 100, stored });
        }
        await closeTerminals();
      }
      rounds.push({ ...times, isVoid: at(times.direct, 0.99) > VOID_ABOVE_MS });
    }
    const counted = valid(rounds);
    const middle = (way: Way, share: number) => median(counted.map((round) => at(round[way], share)));
    const added = (share: number) =>
      withRange(counted.map(({ direct, gateway }) => at(gateway, share) - at(direct, share)));
    rows.push([
      others === 0 ? "1 session" : `beside ${others} busy sessions`,
      `${figure(middle("direct", 0.5))} / ${figure(middle("direct", 0.99))}`,
      `${figure(middle("gateway", 0.5))} / ${figure(middle("gateway", 0.99))}`,
      added(0.5),
      added(0.99),
      validText(rounds),
    ]);
  }
  printTable(
    ["keystroke, ms", "direct p50 / p99", "gateway p50 / p99", "added p50", "added p99", "valid rounds"],
    rows,
  );
  if (busy.length === 0) return;
  printTable(
    [`${Math.max(...BESIDE)} busy sessions`, "whole gateway, % of a core", "stored MB per hour of one session"],
    [["50 lines/s", withRange(busy.map(({ cpu }) => cpu)), withRange(busy.map(({ stored }) => stored / 1e6))]],
  );
}

async function scp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-bench-scp-"));
  // The account on the target reads it.
  chmodSync(folder, 0o755);
  const [source, copy] = [join(folder, "source"), join(folder, "copy")];
  writeFileSync(source, randomBytes(MEGABYTES * 1024 * 1024), { mode: 0o644 });
  const hosts = ["direct", "jumped", "gateway"] as const;
  const rows: string[][] = [];
  for (const direction of ["download", "upload"] as const) {
    const seconds: Record<(typeof hosts)[number], number[]> = { direct: [], jumped: [], gateway: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const host of hosts) {
        const [from, to] = direction === "download" ? [`${host}:${source}`, copy] : [source, `${host}:bench-copy`];
        seconds[host].push(await world.scp(from, to));
      }
    }
    const ratio = (host: "direct" | "jumped") =>
      figure(median(seconds.gateway.map((own, round) => seconds[host][round]! / own)));
    const speed = (host: (typeof hosts)[number]) => withRange(seconds[host].map((each) => MEGABYTES / each));
    rows.push([direction, speed("direct"), speed("jumped"), speed("gateway"), ratio("jumped"), ratio("direct")]);
  }
  rmSync(folder, { recursive: true, force: true });
  printTable(
    [`scp ${MEGABYTES} MB`, "direct MB/s", "ProxyJump MB/s", "gateway MB/s", "of ProxyJump", "of direct"],
    rows,
  );
}

async function memory(): Promise<void> {
  // The first sessions load code and grow the heap.
  await openTerminals("gateway", 40, BUSY);
  await delay(3000);
  await closeTerminals();
  await delay(3000);
  const rows: string[][] = [];
  for (const [name, linesPerSecond] of [
    ["slow: 2 lines/s", SLOW],
    ["busy: 50 lines/s", BUSY],
  ] as const) {
    const before = residentOf(world.gatewayPid);
    await openTerminals("gateway", 100, linesPerSecond);
    const samples: number[] = [];
    for (let sample = 0; sample < 10; sample += 1) {
      await delay(1500);
      samples.push((residentOf(world.gatewayPid) - before) / 100 / 1e6);
    }
    await closeTerminals();
    await delay(3000);
    rows.push([name, figure(before / 1e6), withRange(samples)]);
  }
  printTable(["100 recorded sessions", "gateway before, MB", "MB per session"], rows);
}

async function reveals(): Promise<void> {
  const ids = await addCredentials(world.server, 200);
  let turn = 0;
  const next = () => ({
    method: "POST" as const,
    path: `/api/v1/credentials/${ids[turn++ % ids.length]!}/reveal`,
    headers: { authorization: `Bearer ${world.server.token}`, "content-type": "application/json" },
    body: "{}",
  });
  const rounds: Record<Way, { perSecond: number; p50: number }[]> = { direct: [], gateway: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of WAYS) {
      await openTerminals(way, 50, BUSY);
      await delay(1000);
      rounds[way].push(await load(world.server.url, 4, SECONDS, next));
      await closeTerminals();
      await delay(1000);
    }
  }
  const speed = (way: Way) => withRange(rounds[way].map(({ perSecond }) => perSecond));
  const wait = (way: Way) => figure(median(rounds[way].map(({ p50 }) => p50)));
  const ratios = rounds.gateway.map(({ perSecond }, round) => perSecond / rounds.direct[round]!.perSecond);
  printTable(
    ["50 busy terminals", "reveals /s beside direct ones", "beside the gateway's", "p50 ms", "ratio"],
    [["4 connections", speed("direct"), speed("gateway"), `${wait("direct")} / ${wait("gateway")}`, withRange(ratios)]],
  );
}

/** The delay between the same output at the user's client and at a watcher's browser. */
async function watch(): Promise<void> {
  const answer = await fetch(`${world.server.url}/api/v1/accounts/${world.accountId}/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.worker}`, "content-type": "application/json" },
    body: JSON.stringify({ client: "native" }),
  });
  const started = (await answer.json()) as { session_id: string; ticket: string };
  const [shown, watched] = [new Map<string, number>(), new Map<string, number>()];
  const note = (seen: Map<string, number>) => (bytes: Buffer) => {
    for (const [mark] of bytes.toString("latin1").matchAll(/mark-\d+;/g)) seen.set(mark, performance.now());
  };
  const client = new Client();
  await new Promise<void>((resolve, reject) => {
    client.once("ready", resolve).once("error", reject);
    client.connect({ ...world.logins.gateway, password: started.ticket });
  });
  const printer = `exec perl -e '$|=1; for my $n (1..400){ print "mark-$n;\\n"; select(undef,undef,undef,0.05); }'`;
  client.exec(printer, { pty: true }, (_error, channel) => channel.on("data", note(shown)));
  const path = `/api/v1/sessions/${started.session_id}/watch`;
  await delay(1000);
  const { ticket, connect_path: at } = await world.server.request("POST", path, {});
  const headers = { authorization: `Bearer ${world.server.token}` };
  const socket = new WebSocket(`${world.server.url.replace("http", "ws")}${at}`, { headers });
  socket.on("open", () => socket.send(JSON.stringify({ t: "ticket", ticket })));
  socket.on("message", note(watched));
  await delay(15_000);
  client.destroy();
  socket.terminate();
  const behind = [...watched]
    .slice(50)
    .flatMap(([mark, seen]) => (shown.has(mark) ? [seen - shown.get(mark)!] : []))
    .toSorted((one, other) => one - other);
  if (behind.length < 100) throw new Error(`the watcher saw only ${behind.length} lines`);
  const [p50, p99, most] = [at2(behind, 0.5), at2(behind, 0.99), behind.at(-1)!];
  printTable(["Watch Live behind the user, ms", "p50", "p99", "max"], [["20 lines/s", p50, p99, figure(most)]]);
}

const at2 = (sorted: readonly number[], share: number) => figure(at(sorted, share));

const parts: Record<string, () => Promise<void>> = { keystrokes, scp, memory, reveals, watch };
for (const name of PARTS) {
  try {
    await parts[name]?.();
  } catch (error) {
    // The other parts are independent of this one.
    console.error(`${name} could not be measured: ${String(error)}`);
    console.error(world.server.output().slice(-4000));
    process.exitCode = 1;
    await closeTerminals();
  }
}
terminals.stop();
typist.stop();
await world.stop();
