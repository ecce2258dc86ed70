// A gateway for browsers in this process, with sessions in memory and a real sshd as its target.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Target } from "@strongroom/connectors";
import { aTarget, type Sshd } from "@strongroom/connectors/testing";
import { openLog } from "@strongroom/server/kernel/log.ts";
import { startBrowserServer } from "../src/browser/browser-server.ts";
import { systemTimerClock } from "../src/core/clock.ts";
import { Gateway } from "../src/core/gateway.ts";
import type { TimerClock, OpenedSession } from "../src/core/ports.ts";
import { openBrowser, type Browser } from "./browser.ts";
import { memorySessions, type MemorySessions } from "./memory-sessions.ts";

export interface BrowserGateway {
  gateway: Gateway;
  sessions: MemorySessions;
  path: string;
  /** `address` is the client's, as the server forwards it. */
  open(sessionId: string, kind?: "terminal" | "watch", address?: string): Promise<Browser>;
  /** A session whose browser has received `ready`. */
  begin(
    target: Target,
    secret: string,
    more?: Partial<OpenedSession>,
  ): Promise<{ browser: Browser; sessionId: string; secret: string }>;
  stop(): Promise<void>;
}

export const SIZE = { cols: 80, rows: 24 };

export async function startBrowserGateway(clock: TimerClock = systemTimerClock): Promise<BrowserGateway> {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-gateway-"));
  const path = join(folder, "gateway.sock");
  const log = openLog("fatal");
  const sessions = memorySessions();
  const gateway = new Gateway({ ...sessions, clock, log, mostSessions: 1000 });
  gateway.start();
  const server = await startBrowserServer({ gateway, files: { add: () => {} }, path, log });
  const open: BrowserGateway["open"] = (sessionId, kind = "terminal", address) =>
    openBrowser(path, `/api/v1/sessions/${sessionId}/${kind}`, address);
  return {
    gateway,
    sessions,
    path,
    open,
    async begin(target, secret, more) {
      const { ticket, sessionId } = sessions.issue(target, secret, more);
      const browser = await open(sessionId);
      browser.send({ t: "ticket", ticket, ...SIZE });
      return { browser, sessionId, secret: (await browser.told("ready")).secret };
    },
    async stop() {
      sessions.database.isAway = false;
      await gateway.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An account's target: a real sshd with a pinned host key. */
export async function pinnedTarget(sshd: Sshd, username: string): Promise<Target> {
  return aTarget({ host: sshd.host, port: sshd.port, username, type: "server", knownHostKey: await sshd.hostKey() });
}
