// Rounds of the loss proof: a fault while three sessions produce output, then a comparison of what users saw with what is stored.
import { CastReader, RECORDER_LIMITS, verifyRecording } from "@strongroom/recordings";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault } from "./faults.ts";
import type { LiveSession, LossBed } from "./test-bed.ts";

/** The program that the shell of each session runs: a few lines a second, a busy log, or as much output as the connection takes. */
const LOADS = {
  slow: "while :; do i=$((i+1)); echo slow $i; sleep 0.1; done",
  busy: "while :; do i=$((i+1)); echo busy line $i of a log that has some eighty characters in each of its lines; [ $((i % 10)) = 0 ] && sleep 0.02; done",
  flood: "seq 1 1000000000",
} as const;
type Load = keyof typeof LOADS;

const EARLIEST_MS = 500;
const LATEST_MS = 3000;
/** A gateway counts as lost after 40 s, and the server looks for lost gateways every minute. */
const ENDS_WITHIN_MS = 180_000;

export interface Observed extends LiveSession {
  fault: Fault;
  load: Load;
}

export interface Loss {
  fault: string;
  load: Load;
  seenBytes: number;
  missingBytes: number;
  /** The time between the arrivals of the first and the last missing byte. */
  missingMs: number;
  /** The problem in plain language, or null. */
  problem: string | null;
}

/** Injects the fault at a random moment, and lets the sessions that survived end. */
export async function runRound(bed: LossBed, fault: Fault): Promise<Observed[]> {
  const loads = Object.keys(LOADS) as Load[];
  const sessions = await Promise.all(loads.map(async (load) => ({ ...(await bed.begin()), fault, load })));
  for (const { terminal, load } of sessions) terminal.type(`${LOADS[load]}\n`);
  await delay(EARLIEST_MS + Math.random() * (LATEST_MS - EARLIEST_MS));
  await fault.inject(bed);
  await Promise.all(sessions.map((session) => finish(bed, session)));
  return sessions;
}

/** Ends a session that survived, as its user would. */
async function finish(bed: LossBed, session: Observed): Promise<void> {
  let { terminal } = session;
  let isGone = false;
  void terminal.gone.then(() => (isGone = true));
  // Without the server, the connection is lost, but the session waits for its user.
  await delay(0);
  if (isGone) {
    const resumed = await bed.resume(session);
    if (resumed === null) return;
    terminal = resumed;
  }
  for (let attempt = 0; attempt < 20; attempt += 1) {
    terminal.type("\u0003");
    await delay(200);
    terminal.type("exit\n");
    const hasEnded = await Promise.race([terminal.gone.then(() => true), delay(1000, false)]);
    if (hasEnded) return;
  }
  terminal.close();
}

/** Waits until the session and its recording have ended, and then compares the two. */
export async function judge(bed: LossBed, observed: Observed): Promise<Loss> {
  const { id, load, fault, terminal } = observed;
  const seen = Buffer.concat(terminal.received.map(({ bytes }) => bytes));
  const until = performance.now() + ENDS_WITHIN_MS;
  let session = await bed.read(id);
  while (session.status !== "completed" || session.recording === null || session.recording.status === "open") {
    if (performance.now() > until) {
      const state = `${session.status}, its recording ${session.recording?.status ?? "missing"}`;
      return { ...nothing(observed, seen), problem: `the session did not end: it is ${state}` };
    }
    await delay(1000);
    session = await bed.read(id);
  }
  const stored = outputOf(await bed.recordingOf(id, "played"));
  const common = Math.min(seen.length, stored.length);
  const missingBytes = seen.length - common;
  const loss = {
    fault: fault.name,
    load,
    seenBytes: seen.length,
    missingBytes,
    missingMs: missingBytes === 0 ? 0 : timeFrom(terminal.received, common),
  };
  const { status, unstored_bytes: reported } = session.recording;
  const report = await verifyRecording(Readable.from([await bed.recordingOf(id, "exported")]));
  if (report.recording !== null) bed.deleteRecording(report.recording);
  const changed = report.findings.filter(({ kind }) => !["torn", "unclosed", "unstored"].includes(kind));
  const expected = fault.killsGateway ? "broken" : "closed";
  const problems = [
    stored.length === 0 && "the recording cannot be played",
    !seen.subarray(0, common).equals(stored.subarray(0, common)) && "the recording differs from what the user saw",
    missingBytes > RECORDER_LIMITS.unstoredBytes && `${missingBytes} bytes are missing`,
    loss.missingMs > RECORDER_LIMITS.unstoredAge && `${Math.round(loss.missingMs)} ms are missing`,
    missingBytes > 0 && report.isComplete && "the loss is not detected",
    missingBytes > 0 && status === "closed" && reported < missingBytes && `only ${reported} bytes are reported missing`,
    changed.length > 0 && `the recording is damaged: ${changed[0]?.message}`,
    status !== expected && !(status === "broken" && fault.mayStayOpen) && `the recording is ${status}`,
  ];
  return { ...loss, problem: problems.find((problem) => problem !== false) ?? null };
}

const nothing = ({ fault, load }: Observed, seen: Buffer) => ({
  fault: fault.name,
  load,
  seenBytes: seen.length,
  missingBytes: 0,
  missingMs: 0,
});

function timeFrom(received: LiveSession["terminal"]["received"], offset: number): number {
  let end = 0;
  for (const { at, bytes } of received) {
    end += bytes.length;
    if (end > offset) return received.at(-1)!.at - at;
  }
  return 0;
}

/** The terminal output of an asciicast. */
function outputOf(cast: Buffer): Buffer {
  if (cast.length === 0) return cast;
  const reader = new CastReader();
  const events = [...reader.push(cast), ...reader.end()];
  return Buffer.from(events.map(({ code, data }) => (code === "o" ? data : "")).join(""));
}
