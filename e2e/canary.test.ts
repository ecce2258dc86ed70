// Scans real files with canary secrets, and searches for them in logs, events, the database, the audit trail and crash dumps.
import {
  downloadReport,
  exportAudit,
  exportFindings,
  generateReport,
  listFindings,
  readFinding,
  readReport,
  streamEvents,
  vaultFindings,
  verifyFinding,
} from "@strongroom/contract";
import type { DiscoveryTargetId } from "@strongroom/contract";
import {
  needs,
  postgresqlAvailable,
  startPostgresql,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import type { PostgresqlServer, Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { aCanary, canariesIn, dumpDatabase, filesWithCanaries, memoryOf, unzipped } from "./testing/canaries.ts";
import { aUser, ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import { aScanTarget, completedScan, startScan } from "./testing/scan-target.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const KINDS = [
  "setting",
  "json",
  "yaml",
  "command",
  "token",
  "dump",
  "broken",
  "comment",
  "argument",
  "variable",
] as const;
const canaries: Record<string, string> = Object.fromEntries(KINDS.map((kind) => [kind, aCanary()]));
/** A setting's name, which findings show: a search that misses it would miss canaries too. */
const CONTROL = `${aCanary()}_password`;

describe("canary secrets of scanned files", needs(unixUsersAvailable() ?? postgresqlAvailable()), () => {
  let server: RunningServer;
  let sshd: Sshd;
  let database: PostgresqlServer;
  let scannerProcess: ChildProcess;
  let targetId: DiscoveryTargetId;
  let token: string;
  let home: string;
  const reports = mkdtempSync(join(tmpdir(), "strongroom-crash-"));
  const events = { text: "" };
  const replies: string[] = [];
  const following = new AbortController();

  before(async () => {
    const preload = join(import.meta.dirname, "testing/fill-heap.mjs");
    const options = [
      "--report-on-signal",
      "--report-signal=SIGUSR2",
      "--report-on-fatalerror",
      "--report-uncaught-exception",
      `--report-directory=${reports}`,
      "--max-old-space-size=400",
      `--import=${preload}`,
    ].join(" ");
    const env = { NODE_OPTIONS: options, STRONGROOM_LOG_LEVEL: "trace" };
    [server, sshd, database] = await Promise.all([startServer(env), startSshd(), startPostgresql()]);
    await firstAdmin(server);
    token = await tokenOf(server, await aUser(server, "mona@example.com"));
    const scanner = await sshd.addUser("active", { sudo: "ALL", hasHome: true });
    home = scanner.home;
    targetId = await aScanTarget(server, token, sshd, scanner);
    const role = await database.addRole();
    canaries["database"] = role.password;
    canaries["scanner"] = scanner.password;
    writeCanaries(role.username);
    scannerProcess = aProcessWithCanaries(scanner.username);
    void followEvents();
  });
  after(async () => {
    following.abort();
    scannerProcess?.kill("SIGKILL");
    await Promise.all([server?.close(), sshd?.stop(), database?.stop()]);
    rmSync(reports, { recursive: true, force: true });
  });

  function writeCanaries(username: string): void {
    const { privateKey } = generateKeyPairSync("ed25519");
    const pem = String(privateKey.export({ format: "pem", type: "pkcs8" }));
    canaries["key"] = pem.split("\n")[1]!.slice(24, 48);
    const write = (name: string, content: string | Buffer) => writeFileSync(join(home, name), content, { mode: 0o644 });
    const address = `${database.host}:${database.port}`;
    write("app.conf", `[app]\nuser = ada\n${CONTROL} = ${canaries["setting"]}\n# was ${canaries["comment"]}\n`);
    write("db.conf", `url = postgresql://${username}:${canaries["database"]}@${address}/postgres\n`);
    write("scanner.conf", `run /opt/tool ${canaries["scanner"]} now\n`);
    write("settings.json", JSON.stringify({ database: { password: canaries["json"] }, port: 5432 }));
    write("broken.json", `{"password": "${canaries["broken"]}", "port": }\n{{{`);
    write("values.yml", `auth:\n  username: ada\n  password: "${canaries["yaml"]}"\n`);
    write(".bash_history", `ls\ncurl -u ada:${canaries["command"]} https://api.example.com/\n`);
    write(".env", `API_TOKEN=${canaries["token"]}\n`);
    write("server.key", pem);
    write("core.conf", Buffer.concat([Buffer.from([0, 1, 2, 0]), Buffer.from(`password=${canaries["dump"]}\n`)]));
  }

  function aProcessWithCanaries(username: string): ChildProcess {
    const id = (flag: string) => Number(spawnSync("id", [flag, username], { encoding: "utf8" }).stdout);
    const command = ["-c", "read -r line", "worker", `--password=${canaries["argument"]}`];
    return spawn("/bin/sh", command, {
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: process.env["PATH"], DB_PASSWORD: canaries["variable"] },
      uid: id("-u"),
      gid: id("-g"),
    });
  }

  async function followEvents(): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const stream = await fetch(`${server.url}${streamEvents.path}`, { headers, signal: following.signal });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of stream.body!) events.text += decoder.decode(chunk, { stream: true });
    } catch {
      // The stream ends with the server, which the last test crashes.
    }
  }

  /** Makes the server write diagnostic reports until the work ends. */
  async function reporting<T>(work: Promise<T>): Promise<T> {
    server.process.kill("SIGUSR2");
    const timer = setInterval(() => server.process.kill("SIGUSR2"), 300);
    return work.finally(() => clearInterval(timer));
  }

  const filePatterns = ["*.conf", "*.json", "*.yml", "*.key", ".env", ".bash_history"];
  const config = { scanProcesses: true, readAgain: true, filePatterns };
  const crashReports = () => readdirSync(reports).map((name) => readFileSync(join(reports, name), "utf8"));
  const cleanOf = (content: Buffer | string, where: string) =>
    assert.deepEqual(canariesIn(content, canaries), [], `canaries in ${where}`);

  test("the search finds a canary in every form", () => {
    const canary = aCanary();
    const found = (text: string | Buffer) => canariesIn(text, { it: canary }).length;
    for (const encoding of ["utf8", "utf16le"] as const) assert.equal(found(Buffer.from(`x${canary}y`, encoding)), 1);
    for (const before of ["", "x", "xy"]) assert.equal(found(Buffer.from(`${before}${canary}`).toString("base64")), 1);
    assert.equal(found(Buffer.from(`x${canary}`).toString("hex")), 1);
    assert.equal(found(canary.slice(8, 16)), 1, "a third of it");
    assert.equal(found(canary.slice(0, 4)), 0, "a preview");
  });

  test("a scan finds the canaries, and its replies show none", async () => {
    const scanId = await startScan(server, token, { targetId, home, config });
    replies.push(JSON.stringify(await reporting(completedScan(server, token, scanId))));
    const query = { includeBelowThreshold: "true" } as const;
    const { data } = await ask(server.url, listFindings, { query }, token);
    const of = (name: string) => data.filter(({ finding_data }) => finding_data.file_path.endsWith(name));
    const files = ["app.conf", "db.conf", "scanner.conf", "settings.json", "broken.json", "values.yml"];
    for (const name of [...files, ".bash_history", ".env", "server.key"]) assert.ok(of(name).length > 0, name);
    const processes = data.filter(({ finding_data }) => finding_data.file_path.startsWith("process:"));
    assert.ok(processes.length >= 2, "an argument and a variable of the process");
    replies.push(JSON.stringify(data));
    for (const { id } of data)
      replies.push(JSON.stringify(await ask(server.url, readFinding, { params: { id } }, token)));
    for (const format of ["csv", "json", "sarif", "excel"] as const) {
      const reply = await send(server.url, exportFindings, { body: { format } }, token);
      assert.equal(reply.status, 200);
      const file = Buffer.from(await reply.arrayBuffer());
      const text = format === "excel" ? unzipped(file) : file.toString();
      assert.ok(text.includes("app.conf"), format);
      replies.push(text);
    }
    assert.ok(replies.join("\n").includes(CONTROL), "names are shown");
    cleanOf(replies.join("\n"), "replies and exports");
  });

  test("verifying, vaulting and fixing a finding shows none", async () => {
    const { data } = await ask(server.url, listFindings, {}, token);
    const { id } = data.find(({ finding_data }) => finding_data.file_path.endsWith("db.conf"))!;
    const login = { systemType: "postgresql", hostname: database.host, port: database.port } as const;
    const verified = await reporting(ask(server.url, verifyFinding, { params: { id }, body: { login } }, token));
    assert.equal(verified.liveness, "live");
    const body = { findingIds: [id], vaultSettings: {}, fixFiles: true, login };
    const vaulted = await reporting(ask(server.url, vaultFindings, { body }, token));
    assert.equal(vaulted.vaulted, 1);
    for (let tries = 0; ; tries += 1) {
      const details = await ask(server.url, readFinding, { params: { id } }, token);
      replies.push(JSON.stringify([verified, vaulted, details]));
      if (details.fix?.state === "fixed") break;
      assert.ok(tries < 600, `the file was not fixed: ${details.fix?.message}`);
      await delay(100);
    }
    canaries["rotated"] = /:([^:@]+)@/.exec(readFileSync(join(home, "db.conf"), "utf8"))![1]!;
    assert.notEqual(canaries["rotated"], canaries["database"]);
    cleanOf(replies.join("\n"), "replies");
  });

  test("reports of the risk show none", async () => {
    const { id } = await ask(server.url, generateReport, { body: {} }, token);
    for (let tries = 0; ; tries += 1) {
      const { status, error_message } = await ask(server.url, readReport, { params: { id } }, token);
      if (status === "completed") break;
      assert.ok(tries < 600 && status !== "failed", error_message ?? status);
      await delay(100);
    }
    for (const format of ["json", "xlsx"] as const) {
      const reply = await send(server.url, downloadReport, { params: { id }, query: { format } }, token);
      assert.equal(reply.status, 200, format);
      const file = Buffer.from(await reply.arrayBuffer());
      const text = format === "xlsx" ? unzipped(file) : file.toString();
      assert.ok(text.includes("web-01"), format);
      cleanOf(text, format);
    }
  });

  test("log, events, audit trail and every column of the database contain none", async () => {
    assert.ok(events.text.includes("data:"), "events arrived");
    cleanOf(events.text, "events");
    assert.ok(server.output().includes('"level":"debug"') || server.output().includes('"level":"info"'));
    cleanOf(server.output(), "the log");
    const admin = await tokenOf(server, {
      email: "ada@example.com",
      password: "a long enough password",
      role: "admin",
    });
    const trail = await (await send(server.url, exportAudit, {}, admin)).text();
    assert.match(trail, /finding\.vaulted/);
    cleanOf(trail, "the audit trail");
    const dump = await dumpDatabase(server);
    assert.ok(dump.size > 100, `${dump.size} tables`);
    assert.ok(dump.get("public.findings")!.includes(CONTROL), "the dump contains the findings");
    for (const [table, rows] of dump) cleanOf(rows, table);
  });

  test("diagnostic reports that the server wrote in the meantime contain none", (t: TestContext) => {
    const written = crashReports();
    t.diagnostic(`${written.length} reports`);
    assert.ok(written.length >= 3);
    for (const report of written) {
      assert.match(report, /"javascriptHeap"/);
      cleanOf(report, "a report");
    }
  });

  test("a server that runs out of memory during a scan writes none", async (t: TestContext) => {
    const before = new Set(readdirSync(reports));
    await startScan(server, token, { targetId, home, config });
    for (let tries = 0; tries < 600; tries += 1) {
      const { data } = await ask(server.url, listFindings, {}, token);
      if (data.length > 0) break;
      await delay(50);
    }
    // A core dump contains memory, so it cannot promise this. The count is for the documentation.
    const inMemory = new Set<string>();
    for (const region of memoryOf(server.process.pid!)) {
      for (const [name, canary] of Object.entries(canaries)) if (region.includes(canary)) inMemory.add(name);
    }
    t.diagnostic(`a core dump would contain ${inMemory.size} of ${Object.keys(canaries).length} canaries`);
    const ended = once(server.process, "exit");
    server.process.kill("SIGWINCH");
    const [, signal] = (await ended) as [number | null, string | null];
    assert.equal(signal, "SIGABRT");
    const written = readdirSync(reports).filter((name) => !before.has(name));
    const fatal = written.map((name) => readFileSync(join(reports, name), "utf8"));
    assert.ok(
      fatal.some((report) => report.includes('"trigger": "OOMError"')),
      "a report of the abort",
    );
    for (const report of fatal) cleanOf(report, "the report of the abort");
    assert.match(server.output(), /heap out of memory/);
    cleanOf(server.output(), "the output");
    server = await startServer({}, server.dataFolder);
    await server.stop();
    assert.deepEqual(filesWithCanaries(server.dataFolder, canaries), [], "files of the data folder");
  });
});
