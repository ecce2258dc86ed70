// The order in which a session begins: rules and the recording come before the program on the target.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openLog } from "@strongroom/server/kernel/log.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { memorySessions } from "../../testing/memory-sessions.ts";
import { Gateway } from "./gateway.ts";
import type { OpenedSession, Program, UpstreamChannel } from "./ports.ts";
import type { Terminal } from "./terminal.ts";

const TERMINAL: Terminal = {
  waitingBytes: 0,
  write: async () => {},
  notice() {},
  paused() {},
  watchers() {},
  resized() {},
  end() {},
};

const CHANNEL: UpstreamChannel = { read() {}, write: async () => {}, finish() {}, resize() {}, destroy() {} };

const RULES: OpenedSession["rules"] = {
  idleMinutes: null,
  needsWatcher: false,
  hidesWatchers: false,
};
const COMMAND: Program = { kind: "exec", command: "reboot", terminal: null };

/** Opens a session on a target that only records its requests. */
async function open(program: Program, rules: Partial<OpenedSession["rules"]> = {}, refusal: string | null = null) {
  const { store, startRecorder, recorder, ends } = memorySessions();
  const steps: string[] = [];
  const session: OpenedSession = {
    id: "session",
    safeId: "safe",
    userName: "Ada",
    target: "web1:22",
    remoteUser: "root",
    endsIn: 60_000,
    forwardsAgent: false,
    rules: { ...RULES, ...rules },
    recording: { hasInput: false, days: null },
  };
  const upstream = {
    start: async ({ kind }: Program) => {
      steps.push(kind);
      return refusal === null ? { channel: CHANNEL } : { failure: refusal };
    },
    destroy: () => void steps.push("disconnect"),
  };
  const gateway = new Gateway({
    store: { ...store, redeem: async () => ({ session, connect: async () => ({ upstream }) }) },
    startRecorder: async (...given) => {
      steps.push("recording");
      if (program.kind === "sftp") throw new Error("the disk is full");
      return startRecorder(...given);
    },
    clock: manualClock(),
    mostSessions: 1000,
    log: openLog("silent"),
  });
  const opened = await gateway.open({
    ticket: { ticket: "", sessionId: session.id, sourceAddress: null },
    terminal: TERMINAL,
    program,
    size: { cols: 80, rows: 24 },
    signal: new AbortController().signal,
  });
  return { opened, steps, closed: recorder.closed, ends };
}

describe("a session", () => {
  test("is recorded before its command runs", async () => {
    const { opened, steps } = await open(COMMAND);
    assert.ok("live" in opened);
    assert.deepEqual(steps, ["recording", "exec"]);
  });

  test("runs nothing on the target if its recording cannot start", async () => {
    const { opened, steps, ends } = await open({ kind: "sftp", command: null, terminal: null });
    assert.ok("failure" in opened);
    assert.deepEqual(steps, ["recording", "disconnect"]);
    assert.equal(ends.get("session")?.reason, "recorder-failed");
  });

  test("closes its recording when the target refuses its program", async () => {
    const { opened, closed } = await open(COMMAND, {}, "The target refused to start the command.");
    assert.deepEqual(opened, { failure: "The target refused to start the command." });
    assert.deepEqual(closed, ["ended"]);
  });

  test("runs no command while a required watcher is missing", async () => {
    const { opened, steps } = await open(COMMAND, { needsWatcher: true });
    assert.match("failure" in opened ? opened.failure : "", /commands cannot run/);
    assert.deepEqual(steps, []);
    assert.ok("live" in (await open({ kind: "shell", command: null, terminal: null }, { needsWatcher: true })).opened);
  });
});
