// Tests the delivery to a real rsyslog over TLS: complete even if rsyslog is killed or suspended while entries are
// recorded.
import { createAuditSink, createCredential, testAuditSink, updateAuditSink } from "@strongroom/contract";
import type { AuditSink } from "@strongroom/contract";
import { makeAuthority, needs, opensslAvailable, rsyslogAvailable, startRsyslog } from "@strongroom/connectors/testing";
import type { Authority, RsyslogServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { allSent, recordEntries, sequenced, sinkNamed } from "./testing/receiving.ts";

const options = needs(rsyslogAvailable(), opensslAvailable());
const isPossible = options.skip === undefined;
/** The number of entries in each of three parts. `npm run bench sinks` covers a hundred thousand, and a full disk. */
const ENTRIES = 1500;

let app: TestApp;
let admin: string;
let authority: Authority;
let siem: RsyslogServer;
before(async () => {
  if (!isPossible) return;
  app = await testApp();
  admin = (await firstAdmin(app)).token;
  authority = await makeAuthority();
  siem = await startRsyslog({ certificate: await authority.issue(["127.0.0.1"]), authority });
});
after(async () => {
  if (!isPossible) return;
  await app.close();
  await siem.stop();
});

const place = () => ({ kind: "syslog", host: "127.0.0.1", port: siem.port, ca: authority.certificate }) as const;
async function aSink(name: string, more: object = {}): Promise<AuditSink> {
  const body = { name, config: place(), format: "rfc5424", ...more } as const;
  const made = await app.call(createAuditSink, { body, as: admin });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
/** Uses the product while the SIEM is down. */
async function useProduct(): Promise<void> {
  const body = { name: "Billing", type: "password", value: "a secret value" } as const;
  const stored = await app.call(createCredential, { body, as: admin });
  assert.equal(stored.status, 201, stored.text);
}
const leafIndexes = () => siem.messages().map((line) => Number(/ leafIndex="(\d+)"/.exec(line)?.[1] ?? -1));

test("a SIEM that is killed, suspended and restarted misses no entry, and delays no other work", options, async () => {
  const sink = await aSink("killed and paused");
  await recordEntries(app, ENTRIES);
  await eventually(async () => (leafIndexes().length > 0 ? true : null));

  // The SIEM is still receiving.
  await siem.kill();
  await recordEntries(app, ENTRIES);
  await useProduct();
  const down = await eventually(async () => {
    const { status } = await sinkNamed(app, admin, sink.id);
    return status.state === "failing" ? status : null;
  });
  await siem.restart();
  // Depends on whether the kill came before, during or between two deliveries.
  const reasons = /127\.0\.0\.1:\d+(: Connection closed| closed the connection| refused the connection)/;
  assert.match(down.last_error ?? "", reasons);

  siem.pause();
  await recordEntries(app, ENTRIES);
  await useProduct();
  // Connections made between the SIEM's start and its suspension still deliver some entries.
  await eventually(async () => {
    await recordEntries(app, 100);
    await sequenced(app, admin);
    return (await sinkNamed(app, admin, sink.id)).status.behind_entries > 0 ? true : null;
  });
  siem.resume();

  await allSent(app, admin, sink.id);
  const { status } = await sinkNamed(app, admin, sink.id);
  const got = new Set(leafIndexes());
  const missing = Array.from({ length: status.cursor }, (_, index) => index).filter((index) => !got.has(index));
  assert.deepEqual(missing, []);
  assert.ok(status.cursor >= 3 * ENTRIES);
  const times = siem.messages().length / status.cursor;
  console.log(`${status.cursor} entries, each sent ${times.toFixed(2)} times`);
});

test("messages are RFC 5424 in every format, over TLS or, if configured, over plain TCP", options, async () => {
  const formats = {
    rfc5424: /\ufeff\{"actor"/,
    json: /\ufeff\{"entry":\{/,
    cef: /\ufeffCEF:0\|Strongroom\|/,
    ocsf: /\ufeff\{"activity_id"/,
  };
  const sink = await aSink("formats", { starts: "now" });
  for (const [format, said] of Object.entries(formats)) {
    const config = format === "cef" ? { ...sink.config, port: siem.plainPort, transport: "tcp" } : sink.config;
    const { name, content, every_seconds } = sink;
    const body = { name, content, every_seconds, config, format } as never;
    const updated = await app.call(updateAuditSink, { params: { id: sink.id }, body, as: admin });
    assert.equal(updated.status, 200, updated.text);
    const tried = await app.call(testAuditSink, { params: { id: sink.id }, as: admin });
    assert.equal(tried.body.has_arrived, true, tried.text);
    // When the connection ends, rsyslog has read the messages; it writes them later.
    const found = await eventually(
      async () => siem.messages().find((line) => line.includes("A test message") && said.test(line)) ?? null,
    );
    assert.match(found, /^<10\d>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ strongroom - audit-sink\.tested \[strongroom@32473 /);
  }
});

test(
  "a SIEM with a certificate from a different authority gets no entries, and the error explains why",
  options,
  async () => {
    const stranger = await makeAuthority();
    const sink = await aSink("stranger", { config: { ...place(), ca: stranger.certificate }, is_enabled: false });
    // Other sinks keep sending in the meantime.
    const tests = () => siem.messages().filter((line) => line.includes("A test message")).length;
    const before = tests();
    const tried = await app.call(testAuditSink, { params: { id: sink.id }, as: admin });
    assert.equal(tried.body.has_arrived, false);
    assert.match(tried.body.message, /certificate.*"CA certificate"/);
    assert.equal(tests(), before);
  },
);

test("a SIEM that requires a client certificate receives one; its private key stays sealed", options, async () => {
  const certificate = await authority.issue(["127.0.0.1"]);
  const asking = await startRsyslog({ certificate, authority, asksForCertificate: true });
  try {
    const config = { ...place(), port: asking.port };
    const sink = await aSink("without a certificate", { config, is_enabled: false });
    const tryIt = async (id: AuditSink["id"]) => (await app.call(testAuditSink, { params: { id }, as: admin })).body;
    await tryIt(sink.id);
    assert.deepEqual(asking.messages(), [], "requests without a token are refused");
    const client = await authority.issue(["strongroom.example.com"]);
    const shown = await aSink("with a certificate", {
      config: { ...config, client_certificate: client.certificate },
      client_key: client.privateKey,
      is_enabled: false,
    });
    assert.equal(shown.has_client_key, true);
    assert.deepEqual((await tryIt(shown.id)).has_arrived, true);
    await eventually(async () => (asking.messages().length > 0 ? true : null));
    assert.equal(asking.messages().length, 1);
  } finally {
    await asking.stop();
  }
});
