// Recording of busy terminals: bytes stored per hour and CPU per chunk, compared with plain zstd of the same text, and
// the speed of search text.
import { Kek, recordingSeal } from "@strongroom/keys";
import { readRecording, startTerminalRecorder, verifyRecording } from "@strongroom/recordings";
import type { RecorderClock, SealedChunk } from "@strongroom/recordings";
import { terminalText } from "@strongroom/recordings/terminal-text";
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { zstdCompressSync } from "node:zlib";
import { figure, median, printTable, withRange } from "./support/table.ts";

const MINUTES = Number(process.env.BENCH_MINUTES ?? 10);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const seal = recordingSeal(Kek.generate("safe:bench"));

/** A log that scrolls by: repeated words, changing numbers. The same in each run. */
function* logLines(): Generator<string> {
  let state = 1;
  const next = (below: number) => (state = (state * 48271) % 2147483647) % below;
  const paths = ["/api/v1/accounts", "/api/v1/safes", "/health/ready", "/assets/index.js", "/api/v1/audit"];
  for (let number = 0; ; number++) {
    const time = new Date(1795428000000 + number * 20).toISOString();
    const level = next(20) === 0 ? "\u001b[33mWARN\u001b[0m" : "\u001b[32mINFO\u001b[0m";
    const text = `${time} ${level} web[${4000 + next(8)}]: GET ${paths[next(paths.length)]} 200 ${next(90)} ms 10.0.${next(4)}.${next(250)}`;
    yield `${text}\r\n`;
  }
}

interface Recorded {
  chunks: SealedChunk[];
  text: string;
  /** CPU time of the whole recording, in microseconds. */
  cpu: number;
}

/** Passes time as fast as the recorder works; waits only where a timer started something. */
class BenchClock implements RecorderClock {
  #now = 0;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, act: () => void): () => void {
    const timer = () => act();
    this.#timers.set(timer, this.#now + milliseconds);
    return () => this.#timers.delete(timer);
  }

  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    for (const [timer, at] of this.#timers) {
      if (at > this.#now) continue;
      this.#timers.delete(timer);
      timer();
      await setImmediate();
    }
  }
}

/** Records `perSecond` lines a second, in the recorder's own time. */
async function record(perSecond: number): Promise<Recorded> {
  const chunks: SealedChunk[] = [];
  const clock = new BenchClock();
  const store = { store: async (chunk: SealedChunk) => void chunks.push(chunk) };
  const options = { recordingId: randomUUID(), startedAt: new Date(0), terminal: { cols: 120, rows: 40 } };
  const recorder = await startTerminalRecorder({ ...options, seal, store, clock });
  const made = logLines();
  const lines = Array.from({ length: MINUTES * 60 * perSecond }, () => Buffer.from(made.next().value as string));
  const before = process.cpuUsage();
  for (const line of lines) {
    await recorder.output(line);
    await clock.pass(1000 / perSecond);
  }
  await recorder.close("ended");
  const { user, system } = process.cpuUsage(before);
  return { chunks, text: Buffer.concat(lines).toString(), cpu: user + system };
}

/** CPU in microseconds. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const perHour = (bytes: number) => (bytes / 1e6) * (60 / MINUTES);
const rows: string[][] = [];
for (const perSecond of [50, 2]) {
  const rounds: Recorded[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await record(perSecond));
  const [{ chunks, text }] = rounds as [Recorded];
  const file = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const inOnePiece = zstdCompressSync(text).length;
  const plain = Array.from({ length: ROUNDS }, () => cpuOf(() => zstdCompressSync(text)));
  const report = await verifyRecording(once(file), { seal });
  if (!report.isComplete || !report.isOpened) throw new Error("the recording is not complete");
  const perChunk = rounds.map(({ cpu, chunks }) => cpu / chunks.length);
  rows.push([
    `${perSecond} lines/s`,
    figure(perHour(text.length)),
    figure(perHour(file.length)),
    figure(perHour(inOnePiece)),
    figure(file.length / inOnePiece),
    withRange(perChunk),
    figure(median(rounds.map(({ cpu }) => cpu)) / median(plain)),
    // CPU of 100 sessions, in per cent of one core.
    figure((median(rounds.map(({ cpu }) => cpu)) / (MINUTES * 60e6)) * 100 * 100),
  ]);
  if (perSecond === 50) {
    const begun = performance.now();
    let lines = 0;
    for await (const shown of terminalText(readRecording(once(file), seal))) lines += shown.lines.length;
    console.log(`search text: ${lines} lines, ${figure(text.length / 1000 / (performance.now() - begun))} MB/s`);
  }
}
printTable(
  [
    "terminal",
    "output MB/h",
    "stored MB/h",
    "zstd of the whole text MB/h",
    "stored / zstd",
    "CPU µs per chunk",
    "CPU / zstd",
    "100 sessions, % of a core",
  ],
  rows,
);

// oxlint-disable-next-line typescript/require-await
async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
