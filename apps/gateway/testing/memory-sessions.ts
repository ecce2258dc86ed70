// A session store and a recorder in memory, which tests can stop.
import { randomUUID } from "node:crypto";
import { connectTarget } from "../src/ssh/upstream.ts";
import { networkPolicy, type Target } from "@strongroom/connectors";
import { Secret } from "@strongroom/keys";
import { RecorderClosedError, type TerminalRecorder } from "@strongroom/recordings";
import type {
  OpenedSession,
  Progress,
  RightsCheck,
  SessionEnd,
  SessionStore,
  StartRecorder,
} from "../src/core/ports.ts";

export interface MemorySessions {
  store: SessionStore;
  startRecorder: StartRecorder;
  /** A new ticket for a session on the target. */
  issue(target: Target, secret: string, more?: Partial<OpenedSession>): { ticket: string; sessionId: string };
  issueWatch(sessionId: string): string;
  /** The platform's rules change while the session is live. */
  changeRules(sessionId: string, changed: Partial<OpenedSession["rules"]>): void;
  ends: Map<string, SessionEnd & Progress>;
  /** The name of the user who paused the input, by session. */
  pauses: Map<string, string>;
  /** The reasons of raised risks, in order. */
  risks: string[];
  /** Revokes the permission for a session. */
  revoke(sessionId: string, end: SessionEnd): void;
  database: { isAway: boolean; isDraining: boolean };
  recorder: {
    /** Refuses to start. */
    isBroken: boolean;
    /** Accepts no output until it resolves. */
    hold: Promise<void> | null;
    /** The last output that the recorder was asked to accept. */
    offered: () => string;
    /** Everything that the recorder accepted. */
    output: () => string;
    outputBytes: () => number;
    resizes: string[];
    closed: string[];
    fail(message: string): void;
  };
}

export function memorySessions(): MemorySessions {
  const tickets = new Map<string, { session: OpenedSession; target: Target; secret: string }>();
  const watchTickets = new Map<string, string>();
  const live = new Set<string>();
  const endsIn = new Map<string, number>();
  const ending = new Map<string, SessionEnd>();
  const rules = new Map<string, OpenedSession["rules"]>();
  const ends: MemorySessions["ends"] = new Map();
  const pauses: MemorySessions["pauses"] = new Map();
  const risks: string[] = [];
  const database = { isAway: false, isDraining: false };
  const output: Buffer[] = [];
  let [offered, outputBytes] = ["", 0];
  let fail = (_message: string) => {};
  const recorder: MemorySessions["recorder"] = {
    isBroken: false,
    hold: null,
    output: () => Buffer.concat(output).toString("utf8"),
    outputBytes: () => outputBytes,
    offered: () => offered,
    resizes: [],
    closed: [],
    fail: (message) => fail(message),
  };
  const requireDatabase = () => {
    if (database.isAway) throw new Error("the database is away");
  };

  return {
    ends,
    pauses,
    risks,
    database,
    recorder,
    store: {
      async redeem({ ticket, sessionId }) {
        requireDatabase();
        const found = tickets.get(ticket);
        if (found?.session.id !== sessionId) return { failure: "This ticket is not valid." };
        tickets.delete(ticket);
        live.add(sessionId);
        const { session, target, secret } = found;
        return {
          session,
          async connect(signal) {
            using opened = Secret.fromText(secret);
            const network = networkPolicy({ allowLoopback: true });
            return await connectTarget(target, opened, { timeoutMs: 20_000, signal, network, now: () => new Date() });
          },
        };
      },
      async redeemWatch({ ticket, sessionId }) {
        requireDatabase();
        if (watchTickets.get(ticket) !== sessionId) return { failure: "This ticket is not valid." };
        watchTickets.delete(ticket);
        return { watcher: "Grace" };
      },
      async end(progress, end) {
        requireDatabase();
        live.delete(progress.id);
        if (!ends.has(progress.id)) ends.set(progress.id, { ...progress, ...end });
      },
      async report() {
        requireDatabase();
        return { isDraining: database.isDraining };
      },
      async raiseRisk(_sessionId, reason) {
        risks.push(reason);
      },
      async check(): Promise<RightsCheck> {
        requireDatabase();
        const isEnding = (id: string) => ending.has(id);
        return {
          ending: [...live].filter(isEnding).map((id) => ({ id, ...ending.get(id)! })),
          goingOn: [...live]
            .filter((id) => !isEnding(id))
            .map((id) => ({ id, endsIn: endsIn.get(id)!, pausedBy: pauses.get(id) ?? null, rules: rules.get(id)! })),
          nextIn: null,
        };
      },
    },
    async startRecorder(_session, _size, events): Promise<TerminalRecorder> {
      if (recorder.isBroken) throw new Error("the folder of recordings is full");
      let isClosed = false;
      fail = events.onFailed;
      const requireOpen = () => {
        if (isClosed) throw new RecorderClosedError();
      };
      return {
        state: "recording",
        async output(bytes) {
          offered = Buffer.from(bytes).toString("utf8");
          await recorder.hold;
          requireOpen();
          outputBytes += bytes.length;
          // Of a flood, only the size is recorded.
          if (outputBytes < 4 * 1024 * 1024) output.push(Buffer.from(bytes));
        },
        async input() {
          requireOpen();
        },
        resize: (cols, rows) => void recorder.resizes.push(`${cols}x${rows}`),
        mark: async () => {},
        async close(reason) {
          isClosed = true;
          recorder.closed.push(reason);
          const digest = Buffer.alloc(32);
          return { reason, chunks: 1, outputBytes: 0, unstoredBytes: 0, digest, isClosed: true };
        },
      };
    },
    issue(target, secret, more = {}) {
      const [ticket, id] = [randomUUID(), randomUUID()];
      const session: OpenedSession = {
        id,
        safeId: randomUUID(),
        userName: "Ada",
        target: `${target.host}:${target.port}`,
        remoteUser: target.username ?? "",
        endsIn: 3_600_000,
        rules: {
          idleMinutes: null,
          needsWatcher: false,
          hidesWatchers: false,
        },
        recording: { hasInput: false, days: null },
        forwardsAgent: false,
        ...more,
      };
      endsIn.set(id, session.endsIn);
      rules.set(id, session.rules);
      tickets.set(ticket, { session, target, secret });
      return { ticket, sessionId: session.id };
    },
    issueWatch(sessionId) {
      const ticket = randomUUID();
      watchTickets.set(ticket, sessionId);
      return ticket;
    },
    changeRules: (sessionId, changed) => void rules.set(sessionId, { ...rules.get(sessionId)!, ...changed }),
    revoke: (sessionId, end) => void ending.set(sessionId, end),
  };
}
