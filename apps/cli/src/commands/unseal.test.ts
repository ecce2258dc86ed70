import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readSeal, seal } from "@strongroom/contract";
import type { RunningServer } from "../../../../e2e/testing/server.ts";
import { anInstallation, call } from "../../testing/a-strongroom.ts";
import { strongroom } from "../../testing/strongroom.ts";

const PASSPHRASE = "corréct horse battery staple";

const installation = anInstallation();
let server: RunningServer;
let admin: string;

const start = (): Promise<RunningServer> =>
  installation.start({
    STRONGROOM_SEAL: "passphrase",
    STRONGROOM_PASSPHRASE_FILE: join(installation.folder, "passphrase"),
  });

before(async () => {
  writeFileSync(join(installation.folder, "passphrase"), `${PASSPHRASE}\n`, { mode: 0o600 });
  server = await start();
  admin = await installation.setUp(server);
});
after(() => installation.remove());

const hasTerminals = ((): boolean => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
})();

/** Runs a command at a real terminal and types the answer at its prompt. Returns the terminal's whole output. */
async function atTerminal(words: readonly string[], typed: string): Promise<{ status: number | null; shown: string }> {
  const main = join(import.meta.dirname, "../main.ts");
  const command = [process.execPath, main, ...words].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  let shown = "";
  let hasTyped = false;
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    if (hasTyped || !shown.includes("Passphrase: ")) return;
    hasTyped = true;
    child.stdin.write(typed);
  });
  const [status] = (await once(child, "close")) as [number | null];
  return { status, shown };
}

async function sealed(): Promise<boolean> {
  return (await call(server, readSeal)).body.is_sealed;
}

async function sealIt(): Promise<void> {
  assert.equal((await call(server, seal, { as: admin })).status, 200);
  while (!(await sealed())) await new Promise((resolve) => setImmediate(resolve));
}

test(
  "at a terminal, unseal asks for the passphrase and does not show it",
  { skip: !hasTerminals && "needs script of util-linux" },
  async () => {
    await sealIt();
    const { status, shown } = await atTerminal(["unseal", "--url", server.url], `wrong\u0015${PASSPHRASE}x\u007f\r`);
    assert.equal(status, 0, shown);
    assert.ok(!shown.includes("horse"), shown);
    assert.match(shown, /Passphrase: \r?\nThe vault is unsealed\./);
    assert.equal(await sealed(), false);
  },
);

test(
  "cancelling at the terminal changes nothing",
  { skip: !hasTerminals && "needs script of util-linux" },
  async () => {
    await sealIt();
    const { status, shown } = await atTerminal(["unseal", "--url", server.url], `${PASSPHRASE}\u0003`);
    assert.equal(status, 130, shown);
    assert.equal(await sealed(), true);
    const byInput = await strongroom(["unseal", "--url", server.url], { input: PASSPHRASE });
    assert.equal(byInput.status, 0, byInput.stderr);
  },
);

test("an interrupted command stops its database server before it exits", async () => {
  await server.stop();
  const serving = join(installation.dataFolder, "postgres", "cluster", "postmaster.pid");
  // Without the interrupt the command would wait for the passphrase on standard input.
  const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts"), "audit", "key"], {
    env: { PATH: process.env["PATH"], STRONGROOM_DATA: installation.dataFolder },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(child, "exit");
  while (!existsSync(serving)) await delay(5);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [130, null]);
  assert.equal(existsSync(serving), false);
  server = await start();
});

test("status shows a server's status as text or JSON and in its exit status", async () => {
  const healthy = await strongroom(["status", "--url", server.url]);
  assert.equal(healthy.status, 0, healthy.stdout);
  assert.match(
    healthy.stdout,
    /^healthy: All systems operational\nStrongroom \S+ at \S+, up for .+\nVault: unsealed \(passphrase\)\n- database: ok\n/,
  );
  const asJson = await strongroom(["status", "--url", server.url, "--json"]);
  const said = JSON.parse(asJson.stdout) as { status: string; seal: { provider: string } };
  assert.deepEqual([said.status, said.seal.provider], ["healthy", "passphrase"]);
});

test("sends no passphrase unencrypted to another machine, nor to a redirect target", async () => {
  const abroad = await strongroom(["unseal", "--url", "http://vault.example.com"], { input: PASSPHRASE });
  assert.equal(abroad.status, 2);
  assert.match(abroad.stderr, /would be sent to vault\.example\.com unencrypted/);

  const asked: string[] = [];
  const thief = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url}`);
    reply.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
  });
  thief.listen(0, "127.0.0.1");
  await once(thief, "listening");
  const { port } = thief.address() as AddressInfo;
  const lured = await strongroom(["unseal", "--url", `http://127.0.0.1:${port}`], { input: PASSPHRASE });
  assert.deepEqual([lured.status, asked], [1, ["GET /api/v1/seal"]]);
  thief.close();
});

test("reports an unreachable server and a different kind of server in one line", async () => {
  const stranger = createServer((_request, reply) => reply.end('{"hello":"world"}'));
  stranger.listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const { port } = stranger.address() as AddressInfo;
  const calls = [
    {
      words: ["status", "--url", `http://127.0.0.1:${port}`],
      status: 1,
      says: /is not Strongroom, or runs a different version/,
    },
    {
      words: ["status", "--url", "http://127.0.0.1:1"],
      status: 1,
      says: /Cannot reach Strongroom at http:\/\/127\.0\.0\.1:1\./,
    },
    { words: ["status", "--url", "nonsense"], status: 2, says: /"nonsense" is not a server URL/ },
    { words: ["unseal", "--url", "file:///etc/passwd"], status: 2, says: /is not a server URL/ },
  ];
  for (const { words, status, says } of calls) {
    const ran = await strongroom(words, { input: PASSPHRASE });
    assert.deepEqual([ran.status, ran.stdout], [status, ""], words.join(" "));
    assert.match(ran.stderr, says);
  }
  stranger.close();
});
