// Kills the server at random moments during writes and reveals. No acknowledged write is lost, and every reveal is recorded.
import {
  exportAudit,
  listAuditEntries,
  readCheckpoint,
  readCredential,
  revealCredential,
  verifyAudit,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ownEnvironment } from "./testing/environment.ts";
import { aClient } from "./testing/remembering-client.ts";
import type { Client, Known } from "./testing/remembering-client.ts";
import { ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const ROUNDS = Number(process.env.STRONGROOM_CRASH_ROUNDS ?? 14);
const CONNECTIONS = 6;
/** Long enough for a few hundred calls, but short enough that many rounds end during the first calls. */
const LONGEST_WORK_MS = 800;
const ENV = { STRONGROOM_LOG_LEVEL: "error" };

describe(`a server killed ${ROUNDS} times during requests`, () => {
  const clients: Client[] = Array.from({ length: CONNECTIONS }, (_, index) => aClient(`client ${index}`));
  const totals = { reveals: 0, writes: 0, open: 0 };
  let server: RunningServer;
  let token: string;

  before(async () => {
    server = await startServer(ENV);
    token = await tokenOf(server, await firstAdmin(server));
  });
  after(() => server?.close());

  test("keeps every acknowledged write, and records every answered reveal", { timeout: 900_000 }, async (t) => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const started = new Date();
      const working = clients.map((client) => client.work(server.url, token));
      await delay(Math.random() * LONGEST_WORK_MS);
      const database = databasePid(server);
      const gone = server.kill();
      // Every second time the database server is killed too, so that it must recover from its log.
      if (round % 2 === 0) killUnlessGone(database);
      await gone;
      await Promise.all(working);
      server = await startServer(ENV, server.dataFolder);
      await assertOnRecord(started);
      await Promise.all(
        everything()
          .filter(({ isTouched }) => isTouched)
          .map(assertKept),
      );
    }
    await Promise.all(everything().map(assertKept));
    t.diagnostic(`${totals.reveals} reveals and ${totals.writes} writes were answered; ${totals.open} were cut off`);
    assert.ok(totals.reveals > ROUNDS && totals.writes > ROUNDS, "the rounds did something");
  });

  test("has an intact audit trail, which can be verified with only the public key", async (t) => {
    const { is_intact: isIntact, findings } = await ask(server.url, verifyAudit, {}, token);
    assert.deepEqual({ isIntact, findings }, { isIntact: true, findings: [] });
    const { verifier_key: key } = await ask(server.url, readCheckpoint, {}, token);
    const file = join(server.dataFolder, "export.jsonl");
    writeFileSync(file, await (await send(server.url, exportAudit, {}, token)).text());
    const strongroom = join(import.meta.dirname, "../apps/cli/src/main.ts");
    const run = spawnSync(process.execPath, [strongroom, "audit", "verify", file, "--key", key], {
      encoding: "utf8",
      env: ownEnvironment({}),
    });
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.match(run.stdout, /^Intact: /);
    t.diagnostic(run.stdout.split("\n", 1)[0] ?? "");
  });

  /** INVARIANT: no secret is returned before its audit entry is committed. */
  async function assertOnRecord(since: Date): Promise<void> {
    const recorded = await recordedSince(since);
    for (const { answered } of clients) {
      const missing = [...answered.reveals, ...answered.writes].filter((id) => !recorded.has(id));
      assert.deepEqual(missing, [], "answered calls that are not in the audit trail");
      totals.reveals += answered.reveals.length;
      totals.writes += answered.writes.length;
      answered.reveals.length = 0;
      answered.writes.length = 0;
    }
  }

  /** The request ids of all entries since the given time. */
  async function recordedSince(since: Date): Promise<Set<string>> {
    const found = new Set<string>();
    for (let cursor: string | undefined; ;) {
      const query = { from: since.toISOString(), limit: 200, ...(cursor === undefined ? {} : { cursor }) };
      const page = await ask(server.url, listAuditEntries, { query }, token);
      for (const { metadata } of page.logs) if (typeof metadata.request_id === "string") found.add(metadata.request_id);
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  }

  /**
   * Determines which interrupted calls took effect. Interrupted calls may have taken effect; acknowledged calls
   * definitely have.
   */
  async function assertKept(credential: Known): Promise<void> {
    if (credential.secrets.length > 1 || credential.deleted === "maybe") totals.open += 1;
    credential.isTouched = false;
    const params = { id: credential.id };
    const { status } = await send(server.url, readCredential, { params }, token);
    if (status === 404 && credential.deleted !== "no") {
      credential.deleted = "yes";
      return;
    }
    assert.equal(status, 200, `${credential.name} was acknowledged`);
    assert.notEqual(credential.deleted, "yes", `the deletion of ${credential.name} was acknowledged`);
    const { value } = await ask(server.url, revealCredential, { params, body: {} }, token);
    assert.ok(credential.secrets.includes(value), `${credential.name} has the secret that was acknowledged last`);
    credential.secrets = [value];
    credential.deleted = "no";
  }

  const everything = (): Known[] => clients.flatMap(({ known }) => known);
});

/** When the server dies, the process starts to stop, so it may already be gone. */
function killUnlessGone(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function databasePid({ dataFolder }: RunningServer): number {
  return Number.parseInt(readFileSync(join(dataFolder, "postgres/cluster/postmaster.pid"), "utf8"), 10);
}
