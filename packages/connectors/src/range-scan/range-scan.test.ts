// Tests of range scans: sets of addresses, and the detection of protocols on real listeners at loopback addresses.
import assert from "node:assert/strict";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, test } from "node:test";
import {
  needs,
  postgresqlAvailable,
  startPostgresql,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import { networkPolicy } from "../network-policy.ts";
import { addressAt, addressSet, rangeOutside, type AddressSet } from "./address-set.ts";
import { probe, type FoundService } from "./probe.ts";
import { scanRange, type FoundHost } from "./scan-range.ts";
import { scanRangeInWorker } from "./scan-in-worker.ts";
import { makeSelfSigned } from "../../testing/certificates.ts";

const setOf = (ranges: string[], exclusions: string[] = []): AddressSet => {
  const set = addressSet({ ranges, exclusions });
  if ("error" in set) throw new Error(set.error);
  return set;
};
const all = (set: AddressSet) => Array.from({ length: set.count }, (_, index) => addressAt(set, index));

describe("sets of addresses", () => {
  test("merges networks, addresses and spans, and leaves out exclusions", () => {
    const set = setOf(["10.0.0.0/30", "10.0.0.2-10.0.0.5", "192.0.2.1"], ["10.0.0.1", "10.0.0.4/31"]);
    assert.deepEqual(all(set), ["10.0.0.0", "10.0.0.2", "10.0.0.3", "192.0.2.1"]);
  });

  test("writes IPv6 addresses in canonical form", () => {
    assert.deepEqual(all(setOf(["fd00::ffff/127"], ["fd00::ffff"])), ["fd00::fffe"]);
  });

  test("covers a /16 and refuses one address more", () => {
    assert.equal(setOf(["10.1.0.0/16"]).count, 65_536);
    assert.match(
      JSON.stringify(addressSet({ ranges: ["10.1.0.0/16", "10.3.0.0"], exclusions: [] })),
      /65537 addresses/,
    );
    assert.match(JSON.stringify(addressSet({ ranges: ["::/0"], exclusions: [] })), /at most 65536/);
  });

  for (const text of ["10.0.0.0/33", "10.0.0.9-10.0.0.1", "10.0.0.1-fd00::1", "example.com", "10.1", "", "1-2-3"]) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.ok("error" in addressSet({ ranges: [text], exclusions: [] }));
    });
  }

  test("finds a range that the allowed networks do not cover together", () => {
    const allowed = ["10.0.0.0/25", "10.0.0.128/25"];
    assert.equal(rangeOutside(["10.0.0.0/24", "10.0.0.5-10.0.0.200"], allowed), null);
    assert.equal(rangeOutside(["10.0.0.0/23"], allowed), "10.0.0.0/23");
    assert.equal(rangeOutside(["10.0.0.1"], []), "10.0.0.1");
  });
});

const limits = () => ({ timeoutMs: 2000, signal: new AbortController().signal });

/** A server that answers the first bytes, or greets. */
async function listening(
  host: string,
  onSocket: (socket: Socket) => void,
  port = 0,
): Promise<Server & { port: number }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return Object.assign(server, { port: (server.address() as { port: number }).port });
}

describe("detection of protocols", () => {
  test("an SSH server is reported with its host key", needs(unixUsersAvailable()), async () => {
    const sshd = await startSshd();
    try {
      const found = await probe(sshd.host, sshd.port, limits());
      assert.equal(found?.protocol, "ssh");
      assert.match(found.banner ?? "", /^SSH-2\.0-OpenSSH/);
      assert.deepEqual(found.hostKey, await sshd.hostKey());
    } finally {
      await sshd.stop();
    }
  });

  test("a PostgreSQL server is recognised", needs(postgresqlAvailable()), async () => {
    const server = await startPostgresql();
    try {
      assert.equal((await probe(server.host, server.port, limits()))?.protocol, "postgresql");
    } finally {
      await server.stop();
    }
  });

  test("a TLS server is reported with its certificate, which is not trusted", async () => {
    const { privateKey: key, certificate: cert } = await makeSelfSigned(["db.example.com"]);
    const server = createTlsServer({ key, cert }, (socket) => socket.on("error", () => undefined));
    server.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const found = await probe("127.0.0.1", (server.address() as { port: number }).port, limits());
    server.close();
    assert.equal(found?.protocol, "tls");
    assert.equal(found.certificate?.subject, "db.example.com");
  });

  const MYSQL = Buffer.concat([Buffer.from([0x4a, 0, 0, 0, 10]), Buffer.from("8.0.36\0"), Buffer.alloc(60)]);
  const fakes: [string, FoundService["protocol"], string | null, (socket: Socket) => void][] = [
    ["MySQL greeting", "mysql", "8.0.36", (socket) => socket.write(MYSQL)],
    [
      "Redis answer",
      "redis",
      "-NOAUTH Authentication required.",
      (socket) =>
        socket.on("data", (bytes) =>
          String(bytes).startsWith("PING") ? socket.write("-NOAUTH Authentication required.\r\n") : socket.end(),
        ),
    ],
    [
      "HTTP answer",
      "http",
      "HTTP/1.1 404 Not Found",
      (socket) =>
        socket.on("data", (bytes) =>
          String(bytes).startsWith("GET") ? socket.end("HTTP/1.1 404 Not Found\r\n\r\n") : socket.end(),
        ),
    ],
    [
      "WinRM answer",
      "winrm",
      "HTTP/1.1 404 Not Found",
      (socket) =>
        socket.on("data", (bytes) =>
          String(bytes).startsWith("GET")
            ? socket.end("HTTP/1.1 404 Not Found\r\nServer: Microsoft-HTTPAPI/2.0\r\n\r\n")
            : socket.end(),
        ),
    ],
    ["silent server", "unknown", null, () => undefined],
    [
      "server that sends endless garbage",
      "unknown",
      null,
      (socket) => void setInterval(() => socket.write(Buffer.alloc(65_536, 0x1b)), 5).unref(),
    ],
    ["banner with escape sequences", "unknown", "220 [31mftp", (socket) => socket.write("220 \u001b[31mftp\r\n")],
  ];
  for (const [what, protocol, banner, onSocket] of fakes) {
    test(`a ${what} counts as ${protocol}`, async () => {
      const server = await listening("127.0.0.1", onSocket);
      const found = await probe("127.0.0.1", server.port, { ...limits(), timeoutMs: 300 });
      server.close();
      assert.deepEqual([found?.protocol, found?.banner], [protocol, banner]);
    });
  }

  test("a closed port is not reported", async () => {
    assert.equal(await probe("127.0.0.1", 1, limits()), null);
  });
});

for (const [where, run] of [
  ["in this thread", scanRange],
  ["in a thread of their own", scanRangeInWorker],
] as const)
  describe(`range scans ${where}`, () => {
    const scan = (more: Partial<Parameters<typeof scanRange>[0]> & { addresses: AddressSet }) => {
      const found: FoundHost[] = [];
      const done: number[] = [];
      const running = run({
        ports: [1],
        rate: 2000,
        timeoutMs: 500,
        from: 0,
        network: networkPolicy({ allowLoopback: true }),
        signal: new AbortController().signal,
        onHost: async (host) => void found.push(host),
        onProgress: async (number) => void done.push(number),
        ...more,
      });
      return { running, found, done };
    };

    test("finds the hosts of a /24 that listen, each with its open ports", async () => {
      const hosts = ["127.77.0.3", "127.77.0.200"];
      const servers = [await listening(hosts[0]!, (socket) => socket.write(MYSQL_GREETING))];
      const { port } = servers[0]!;
      servers.push(await listening(hosts[1]!, (socket) => socket.write(MYSQL_GREETING), port));
      const { running, found, done } = scan({ addresses: setOf(["127.77.0.0/24"]), ports: [1, port] });
      await running;
      for (const server of servers) server.close();
      const seen = found.flatMap(({ address, services }) =>
        services.map((each) => `${address} ${each.port} ${each.protocol}`),
      );
      assert.deepEqual(seen.toSorted(), hosts.map((host) => `${host} ${port} mysql`).toSorted());
      assert.equal(Math.max(...done), 256);
    });

    test("continues at an address, and never reports more progress than it made", async () => {
      const addresses = setOf(["127.77.1.0/28"]);
      const { running, done } = scan({ addresses, from: 10 });
      await running;
      assert.equal(done.at(-1), 16);
      assert.ok(done.every((number) => number >= 10));
    });

    test("keeps the rate", async () => {
      const startedAt = performance.now();
      await scan({ addresses: setOf(["127.77.2.0/27"]), rate: 32 }).running;
      assert.ok(performance.now() - startedAt >= 900);
    });

    test("INVARIANT: no connection is opened to an address that the network policy refuses", async () => {
      let connections = 0;
      const server = await listening("127.77.3.1", () => (connections += 1));
      const network = networkPolicy({});
      const { running, found } = scan({ addresses: setOf(["127.77.3.1"]), ports: [server.port], network });
      assert.deepEqual(await running, { refused: 1 });
      server.close();
      assert.deepEqual([connections, found], [0, []]);
    });

    test("a host that cannot be stored ends the scan with the reason", async () => {
      const server = await listening("127.77.5.1", (socket) => socket.write(MYSQL_GREETING));
      const { running } = scan({
        addresses: setOf(["127.77.5.0/30"]),
        ports: [server.port],
        onHost: () => Promise.reject(new Error("the database is away")),
      });
      await assert.rejects(running, /the database is away/);
      server.close();
    });

    test("stops when it is cancelled", async () => {
      const cancelling = new AbortController();
      const { running } = scan({
        addresses: setOf(["127.77.4.0/22"]),
        rate: 50,
        signal: cancelling.signal,
        onProgress: async (done) => void (done > 5 && cancelling.abort(new Error("enough"))),
      });
      await assert.rejects(running, /enough/);
    });
  });

const MYSQL_GREETING = Buffer.concat([Buffer.from([0x4a, 0, 0, 0, 10]), Buffer.from("8.0.36\0"), Buffer.alloc(60)]);
