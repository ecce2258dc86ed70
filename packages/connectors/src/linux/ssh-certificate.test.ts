// Logins with user certificates on a real sshd, and the post-quantum key exchange of the patched library.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import ssh2, { Client } from "ssh2";
import { aContext, aTarget, needs, startSshd, unixUsersAvailable, type Sshd } from "../../testing/index.ts";
import { connectSsh } from "./connect.ts";
import { issueUserCertificate, publicLineOf, type UserCertificate } from "./ssh-certificate.ts";
import { KEY_EXCHANGES, isSshPatched } from "./ssh-library.ts";
import { sshKeyOf } from "./ssh-key.ts";

const ed25519 = () => generateKeyPairSync("ed25519").privateKey;
const MINUTE = 60_000;

test("the installed ssh2 has its patch", () => {
  assert.ok(isSshPatched, "run `npm run check` or `npm test` once: they apply the patches");
  assert.equal(KEY_EXCHANGES[0], "mlkem768x25519-sha256");
});

describe("a login with a user certificate", needs(unixUsersAvailable()), () => {
  const ca = ed25519();
  let folder: string;
  let sshd: Sshd;
  let username: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "strongroom-ca-"));
    writeFileSync(join(folder, "ca.pub"), `${publicLineOf(ca)}\n`, { mode: 0o644 });
    sshd = await startSshd({ config: [`TrustedUserCAKeys ${join(folder, "ca.pub")}`] });
    ({ username } = await sshd.addUser());
  });
  after(async () => {
    await sshd.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function logIn(changes: Partial<UserCertificate> = {}, signer = ca) {
    const now = Date.now();
    const certificate: UserCertificate = {
      keyId: "session-1",
      principals: [username],
      validFrom: new Date(now - MINUTE),
      validUntil: new Date(now + MINUTE),
      sourceAddresses: ["127.0.0.1"],
      ...changes,
    };
    const { host, port } = sshd;
    const target = aTarget({ type: "server", host, port, username, knownHostKey: await sshd.hostKey() });
    const keyFor = () => issueUserCertificate(signer, certificate).key;
    const result = await connectSsh(target, { keyFor }, aContext());
    if ("failure" in result) return "code" in result.failure ? result.failure.code : result.failure.outcome;
    result.connection.destroy();
    return "logged in";
  }

  test("is accepted by sshd, whose log names the session", async () => {
    const from = sshd.log().length;
    assert.equal(await logIn(), "logged in");
    const log = await sshd.logged(from, /Accepted publickey/);
    assert.match(log, /Accepted publickey for \S+ .*ED25519-CERT .*ID session-1 \(serial \d+\) CA ED25519/);
  });

  for (const [name, changes] of [
    ["of another user", { principals: ["somebody-else"] }],
    ["that has expired", { validUntil: new Date(Date.now() - 1000) }],
    ["that is not valid yet", { validFrom: new Date(Date.now() + 30_000) }],
    ["for another source address", { sourceAddresses: ["192.0.2.7"] }],
  ] as const) {
    test(`is refused with a certificate ${name}`, async () => {
      assert.equal(await logIn(changes), "wrong-password");
    });
  }

  test("is refused with a certificate of another CA", async () => {
    assert.equal(await logIn({}, ed25519()), "wrong-password");
  });
});

describe("mlkem768x25519-sha256", () => {
  /** A server and a client of the library, with only this key exchange. */
  async function exchanged(clientKex = KEY_EXCHANGES.slice(0, 1)): Promise<string> {
    const key = sshKeyOf(ed25519())!;
    const server = new ssh2.Server({ hostKeys: [{ key }], algorithms: { kex: KEY_EXCHANGES.slice(0, 1) } });
    server.on("connection", (client) => {
      client.on("error", () => {});
      client.on("authentication", (context) => context.accept());
      client.on("session", (accept) => {
        accept().once("exec", (acceptExec) => {
          const channel = acceptExec();
          channel.end("answer");
        });
      });
    });
    const net = createServer((socket) => server.injectSocket(socket)).listen(0, "127.0.0.1");
    await new Promise((resolve) => net.once("listening", resolve));
    const client = new Client();
    try {
      return await new Promise<string>((resolve, reject) => {
        let kex = "";
        client.once("handshake", (negotiated) => ({ kex } = negotiated));
        client.once("error", reject);
        client.once("ready", () =>
          client.exec("x", (error, channel) => {
            if (error !== undefined) return reject(error);
            channel.once("data", (bytes: Buffer) => resolve(`${kex}: ${bytes.toString()}`));
          }),
        );
        const { port } = net.address() as { port: number };
        client.connect({ host: "127.0.0.1", port, username: "x", algorithms: { kex: clientKex } });
      });
    } finally {
      client.end();
      net.close();
    }
  }

  test("carries a connection between the library's own client and server", async () => {
    assert.equal(await exchanged(), "mlkem768x25519-sha256: answer");
  });

  test("is preferred by a client with the usual algorithms", async () => {
    assert.equal(await exchanged([...KEY_EXCHANGES]), "mlkem768x25519-sha256: answer");
  });
});
