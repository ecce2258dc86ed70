// Tests of audit sinks: webhooks and files, permissions, and the effect of a broken sink on the product.
import {
  ChangedAuditSink,
  createAuditSink,
  createCredential,
  deleteAuditSink,
  listAuditSinks,
  readHealth,
  switchAuditSink,
  testAuditSink,
  updateAuditSink,
} from "@strongroom/contract";
import type { AuditSink, InputOf } from "@strongroom/contract";
import type { AuditEntry } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { testDatabase } from "#kernel/testing/test-database.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { NOTIFY_AFTER } from "./audit-sinks.policy.ts";
import { signatureOf } from "./delivery/send.ts";
import { allSent, recordEntries, sequenced, sinkNamed, startReceiver } from "./testing/receiving.ts";
import type { Receiver } from "./testing/receiving.ts";

type NewSink = NonNullable<InputOf<typeof createAuditSink>["body"]>;

const folder = mkdtempSync(join(tmpdir(), "strongroom-sinks-"));
let app: TestApp;
let admin: string;
let receiver: Receiver;
before(async () => {
  app = await testApp({ config: { sinkFolder: folder } });
  admin = (await firstAdmin(app)).token;
  receiver = await startReceiver();
});
after(async () => {
  await app.close();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

async function aSink(body: NewSink): Promise<AuditSink> {
  const made = await app.call(createAuditSink, { body, as: admin });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
const byId = ({ id }: AuditSink) => ({ params: { id }, as: admin });
const hook = (name: string, more: Partial<NewSink> = {}): NewSink => ({
  name,
  config: { kind: "http", url: receiver.url },
  ...more,
});
const upToDate = (sink: AuditSink) => allSent(app, admin, sink.id);

async function failuresOf({ id }: AuditSink): Promise<number> {
  const found = await app.database.pool.query<{ failures: number }>("select failures from audit_sinks where id = $1", [
    id,
  ]);
  return found.rows[0]?.failures ?? 0;
}

describe("a webhook", () => {
  const KEY = "a key for signatures";

  test("gets every entry in log order, signed, and again after an error reply", async () => {
    const sink = await aSink(hook("hook in order", { hmac_key: KEY }));
    receiver.answerNext(500, 302);
    await recordEntries(app, 40);
    await upToDate(sink);
    const taken = receiver.taken();
    const indexes = taken.flatMap(({ lines }) => lines.map((line) => (JSON.parse(line) as { index: number }).index));
    assert.deepEqual(indexes, [...indexes.keys()], "each once and in order, since nothing was taken twice");
    for (const { headers, body } of receiver.all()) {
      const signature = signatureOf(KEY, String(headers["strongroom-timestamp"]), body);
      assert.equal(headers["strongroom-signature"], `sha256=${signature}`);
    }
    assert.equal(receiver.redirected(), 0, "a redirect is not followed");
    const { status } = await sinkNamed(app, admin, sink.id);
    assert.match(status.last_error ?? "", /answered with status (500|302)/);
    assert.equal(status.state, "current");
    await app.call(deleteAuditSink, byId(sink));
  });

  test("gets nothing while it is disabled, and continues at the same position when it is enabled again", async () => {
    const sink = await aSink(hook("hook with a pause", { starts: "now" }));
    await recordEntries(app, 3);
    await upToDate(sink);
    const off = await app.call(switchAuditSink, { ...byId(sink), body: { is_enabled: false } });
    assert.equal(off.body.status.state, "disabled");
    receiver.forget();
    await recordEntries(app, 5);
    await sequenced(app, admin);
    const waiting = await sinkNamed(app, admin, sink.id);
    assert.ok(waiting.status.behind_entries >= 5);
    assert.equal(receiver.all().length, 0);
    const { cursor } = waiting.status;
    await app.call(switchAuditSink, { ...byId(sink), body: { is_enabled: true } });
    await upToDate(sink);
    const [first] = receiver.taken().flatMap(({ lines }) => lines);
    assert.equal((JSON.parse(first ?? "") as { index: number }).index, cursor);
    await app.call(deleteAuditSink, byId(sink));
  });

  test("is audited once when it keeps failing, and once when it works again", async () => {
    const sink = await aSink(hook("hook in trouble", { starts: "now" }));
    const noticesAbout = async (event: string) => {
      const { rows } = await app.database.pool.query<{ entry: AuditEntry }>(
        `select convert_from(canonical, 'utf8')::jsonb as entry from audit_entries
         where event = 'audit-sink.delivery-' || $2 and target_id = $1`,
        [sink.id, event],
      );
      return rows.map(({ entry }) => entry);
    };
    /** Skips the retry delay and sets the failure count as if more attempts had failed. */
    const hurry = (failures: number) =>
      app.database.pool.query(
        `update audit_sinks set retry_at = null, failures = greatest(failures, $2)
         where id = $1 and lease_by is null and failures > 0`,
        [sink.id, failures],
      );
    receiver.answerNext(...Array.from({ length: 100 }, () => 500));
    await recordEntries(app, 3);
    await eventually(async () => ((await failuresOf(sink)) > 0 ? true : null));
    assert.deepEqual(await noticesAbout("failing"), [], "a receiver that restarts is no news");
    await eventually(async () => {
      await hurry(NOTIFY_AFTER - 1);
      return (await failuresOf(sink)) > NOTIFY_AFTER ? true : null;
    });
    const [failing, ...others] = await noticesAbout("failing");
    assert.match(failing?.reason ?? "", /answered with status 500/);
    assert.deepEqual([others, await noticesAbout("resumed")], [[], []]);

    receiver.forget();
    receiver.answerNext();
    const resumed = await eventually(async () => {
      await hurry(0);
      const told = await noticesAbout("resumed");
      return told.length > 0 ? told : null;
    });
    assert.equal(resumed.length, 1);
    assert.ok(Number(resumed[0]?.details?.["failures"]) > NOTIFY_AFTER);
    await upToDate(sink);
    const got = receiver.taken().flatMap(({ lines }) => lines.map((line) => JSON.parse(line) as { entry: AuditEntry }));
    const events = got.map(({ entry }) => entry.event).filter((event) => event.startsWith("audit-sink.delivery-"));
    assert.deepEqual(events, ["audit-sink.delivery-failing", "audit-sink.delivery-resumed"], "it is told itself, too");
    await app.call(deleteAuditSink, byId(sink));
  });

  test("can be tested; the test is audited, and an error is explained in plain words", async () => {
    const sink = await aSink(hook("hook to try", { is_enabled: false }));
    receiver.forget();
    const tried = await app.call(testAuditSink, byId(sink));
    assert.deepEqual([tried.status, tried.body.has_arrived], [200, true], tried.text);
    assert.match(receiver.all()[0]?.body ?? "", /A test message for \\?"hook to try/);
    const nowhere = { kind: "http", url: "http://127.0.0.1:9/" } as const;
    await app.call(updateAuditSink, {
      ...byId(sink),
      body: ChangedAuditSink.parse({ name: "hook to try", config: nowhere }),
    });
    const failed = await app.call(testAuditSink, byId(sink));
    assert.equal(failed.body.has_arrived, false);
    assert.match(failed.body.message, /127\.0\.0\.1:9 refused the connection/);
    await app.call(deleteAuditSink, byId(sink));
    const { rows } = await app.database.pool.query<{ event: string; result: string }>(
      "select event, result from audit_entries where target_id = $1 order by id",
      [sink.id],
    );
    assert.deepEqual(
      rows.map(({ event, result }) => `${event} ${result}`),
      [
        "audit-sink.created success",
        "audit-sink.tested success",
        "audit-sink.updated success",
        "audit-sink.tested failure",
        "audit-sink.deleted success",
      ],
    );
  });
});

describe("the secrets of a sink", () => {
  const secrets = { hmac_key: "the secret of the hook", authorization: "Splunk 5ecre7-5ecre7" };

  test("are sealed, never returned, and sent only to the destination for which they were entered", async () => {
    const config = { kind: "http", url: "https://siem.example.com/in" } as const;
    const sink = await aSink({ name: "with secrets", config, ...secrets, is_enabled: false });
    assert.deepEqual([sink.has_hmac_key, sink.has_authorization, sink.has_client_key], [true, true, false]);
    const listed = await app.call(listAuditSinks, { as: admin });
    const { rows } = await app.database.pool.query("select * from audit_sinks where id = $1", [sink.id]);
    const entries = await app.database.pool.query("select convert_from(canonical, 'utf8') from audit_entries");
    for (const text of [listed.text, JSON.stringify(rows), JSON.stringify(entries.rows), app.logLines.join("")]) {
      for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret), "it is nowhere to be read");
    }
    const elsewhere = { kind: "http", url: "https://elsewhere.example.com/in" } as const;
    const moved = await app.call(updateAuditSink, {
      ...byId(sink),
      body: ChangedAuditSink.parse({ name: "with secrets", config: elsewhere }),
    });
    assert.equal(moved.status, 400);
    assert.match(moved.text, /The destination or its trusted certificate changed/);
    const ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
    const vouched = ChangedAuditSink.parse({ name: "with secrets", config: { ...config, ca } });
    const trusted = await app.call(updateAuditSink, { ...byId(sink), body: vouched });
    assert.deepEqual([trusted.status, trusted.text.includes('"path":"hmac_key"')], [400, true], trusted.text);
    const half = await app.call(updateAuditSink, { ...byId(sink), body: { ...vouched, hmac_key: secrets.hmac_key } });
    assert.deepEqual([half.status, half.text.includes('"path":"authorization"')], [400, true], half.text);
    const path = { kind: "http", url: "https://siem.example.com/another/in" } as const;
    const same = await app.call(updateAuditSink, {
      ...byId(sink),
      body: ChangedAuditSink.parse({ name: "with secrets", config: path }),
    });
    assert.equal(same.status, 200, "another path of the same place");
    const kept = await app.call(updateAuditSink, {
      ...byId(sink),
      body: ChangedAuditSink.parse({ name: "with secrets", config, hmac_key: null }),
    });
    assert.deepEqual([kept.body.has_hmac_key, kept.body.has_authorization], [false, true]);
    await app.call(deleteAuditSink, byId(sink));
  });

  test("are never sent over an unencrypted connection, and cannot be part of the address", async () => {
    const plain = { kind: "http", url: "http://siem.example.com/in" } as const;
    const refused = [
      { name: "plain", config: plain, authorization: "Bearer abc" },
      { name: "in the address", config: { kind: "http", url: "https://siem.example.com/in?token=abc" } },
      { name: "in the address", config: { kind: "http", url: "https://me:abc@siem.example.com/in" } },
      { name: "no certificate", config: { kind: "syslog", host: "siem", client_certificate: null }, client_key: "x" },
    ] as const;
    for (const body of refused) {
      const reply = await app.call(createAuditSink, { body, as: admin });
      assert.equal(reply.status, 400, reply.text);
    }
  });
});

describe("a file", () => {
  const linesOf = (name: string) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1);

  test("is appended to in whole lines, even after a process died in the middle of one", async () => {
    writeFileSync(join(folder, "whole.log"), '{"index":-1}\n{"index":');
    const config = { kind: "file", name: "whole.log" } as const;
    const sink = await aSink({ name: "a file", config });
    await recordEntries(app, 20);
    await upToDate(sink);
    const indexes = linesOf("whole.log").map((line) => (JSON.parse(line) as { index: number }).index);
    assert.deepEqual(
      indexes,
      [...indexes.keys()].map((at) => at - 1),
    );
    const again = await app.call(createAuditSink, { body: { name: "another", config }, as: admin });
    assert.equal(again.status, 409, "two sinks in one file would be mixed up");
    await app.call(deleteAuditSink, byId(sink));
  });

  test("is rotated above its maximum size, and the configured number of older files is kept", async () => {
    const config = { kind: "file", name: "turned.log", rotate_megabytes: 1, keep_files: 2 } as const;
    const sink = await aSink({ name: "turned", config, format: "ocsf" });
    for (let part = 0; part < 4; part++) {
      await recordEntries(app, 900);
      await upToDate(sink);
    }
    const files = readdirSync(folder).filter((name) => name.startsWith("turned.log"));
    assert.deepEqual(files.toSorted(), ["turned.log", "turned.log.1", "turned.log.2"]);
    await app.call(deleteAuditSink, byId(sink));
  });

  const canMount = process.getuid?.() === 0 && process.platform === "linux";
  test(
    "loses no entry and blocks no other work when the disk is full",
    { skip: !canMount && "only root can mount a small disk" },
    async () => {
      const small = join(folder, "small");
      mkdirSync(small);
      assert.equal(spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", small]).status, 0);
      const shared = await testDatabase();
      const other = await testApp({ config: { sinkFolder: small }, database: shared });
      const { dataFolder } = other;
      // A second process on the same database: if both delivered at the same time, lines would be duplicated.
      const second = await testApp({ config: { sinkFolder: small }, database: shared, dataFolder });
      try {
        writeFileSync(join(small, "filler"), Buffer.alloc(400 * 1024));
        const boss = await firstAdmin(other);
        const body = { name: "on a small disk", config: { kind: "file", name: "trail.jsonl" } } as const;
        const made = await other.call(createAuditSink, { body, as: boss.token });
        await recordEntries(other, 700);
        const failing = await eventually(async () => {
          const { status } = await sinkNamed(other, boss.token, made.body.id);
          return status.state === "failing" ? status : null;
        });
        assert.match(failing.last_error ?? "", /The disk is full/);
        const body2 = { name: "Billing", type: "password", value: "a secret value" } as const;
        const stored = await other.call(createCredential, { body: body2, as: boss.token });
        assert.equal(stored.status, 201, "the server keeps working");
        rmSync(join(small, "filler"));
        await allSent(other, boss.token, made.body.id);
        const indexes = readFileSync(join(small, "trail.jsonl"), "utf8").split("\n").slice(0, -1);
        assert.deepEqual(
          indexes.map((line) => (JSON.parse(line) as { index: number }).index),
          [...indexes.keys()],
        );
      } finally {
        await second.stop();
        await other.close();
        spawnSync("umount", [small]);
      }
    },
  );

  test("cannot be outside the server's folder for sinks", async () => {
    for (const name of ["../root.key", "/etc/passwd", ".hidden", "a/b", "audit.jsonl.1"]) {
      const body = { name: "outside", config: { kind: "file", name } } as const;
      assert.equal((await app.call(createAuditSink, { body, as: admin })).status, 400, name);
    }
  });
});

test("the server's health reports that a sink does not answer, without naming the sink", async () => {
  const nowhere = { kind: "http", url: "http://127.0.0.1:9/" } as const;
  const sink = await aSink({ name: "Very Secret SIEM", config: nowhere, starts: "now" });
  const before = await app.call(readHealth);
  assert.equal(before.body.checks.find(({ name }) => name === "audit sinks")?.state, "ok");
  await sequenced(app, admin);
  // The sink's own entry counts as sent, so that the next entry is ten minutes old.
  await app.database.pool.query("update audit_sinks set cursor = (select count(*) from audit_leaves) where id = $1", [
    sink.id,
  ]);
  await recordEntries(app, 1, new Date(Date.now() - 10 * 60_000));
  await sequenced(app, admin);
  const health = await app.call(readHealth);
  const check = health.body.checks.find(({ name }) => name === "audit sinks");
  assert.deepEqual([check?.state, check?.message], ["failing", "An audit sink is more than 5 minutes behind"]);
  assert.ok(!health.text.includes("Very Secret"));
  await app.call(deleteAuditSink, byId(sink));
});

test("a log that is shorter than the entries already delivered raises the alarm once", async () => {
  const sink = await aSink(hook("knows more", { starts: "now" }));
  await upToDate(sink);
  await app.database.pool.query("update audit_sinks set cursor = cursor + 100000 where id = $1", [sink.id]);
  const status = await eventually(async () => {
    const found = (await sinkNamed(app, admin, sink.id)).status;
    return found.state === "failing" && found.next_attempt_at !== null ? found : null;
  });
  assert.match(status.last_error ?? "", /"knows more" received \d+ entries of this log, and the log now has fewer/);
  await eventually(async () => ((await failuresOf(sink)) > 1 ? true : null));
  const { rows } = await app.database.pool.query("select from audit_entries where event = 'audit.tampering-found'");
  assert.equal(rows.length, 1);
  await app.call(deleteAuditSink, byId(sink));
});

test("managers can see sinks but not change them; ordinary users see none", async () => {
  const [manager, user] = [await aPerson(app, "manager"), await aPerson(app)];
  assert.equal((await app.call(listAuditSinks, { as: manager.token })).status, 200);
  assert.equal((await app.call(listAuditSinks, { as: user.token })).status, 403);
  const refused = await app.call(createAuditSink, { body: hook("not mine"), as: manager.token });
  assert.equal(refused.status, 403);
});
