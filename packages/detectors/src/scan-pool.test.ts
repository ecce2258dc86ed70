// Workers: findings without values, deadlines, and recovery of the pool.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { knownForms } from "./known-secrets.ts";
import { ScanPool } from "./scan-pool.ts";

const SECRET = "Tr0ub4dor-und-3";

test("a pool scans many files at once and returns facts only", async () => {
  const pool = new ScanPool({ workers: 2, fingerprintKey: randomBytes(32) });
  const results = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, index) => await pool.scan(Buffer.from(`password=${SECRET}${index % 2}\n`), "a.env"),
    ),
  );
  await pool.close();
  const fingerprints = new Set(
    results.flatMap((each) => (each.outcome === "scanned" ? each.findings.map((found) => found.fingerprint) : [])),
  );
  assert.equal(fingerprints.size, 2);
  assert.ok(!JSON.stringify(results).includes(SECRET));
});

test("a pool finds known secrets", async () => {
  const key = randomBytes(32);
  const pool = new ScanPool({
    knownSecrets: { key, forms: knownForms(SECRET, key).map((form) => ({ ...form, id: "a" })) },
  });
  const result = await pool.scan(Buffer.from(`x ${SECRET} y`), "notes");
  await pool.close();
  assert.equal(result.outcome === "scanned" && result.findings[0]?.knownSecrets[0], "a");
});

test("a file beyond its deadline times out, and the pool continues", async () => {
  const pool = new ScanPool({ deadline: 1 });
  const slow = await pool.scan(Buffer.from(`password=${SECRET}\n`.repeat(400_000)), "a.env");
  assert.equal(slow.outcome, "timed-out");
  await pool.close();
  const patient = new ScanPool();
  assert.equal((await patient.scan(Buffer.from("password=x7-Kl29-aa\n"), "a.env")).outcome, "scanned");
  await patient.close();
});

test("files that wait when the pool closes fail instead of hanging", async () => {
  const pool = new ScanPool();
  const waiting = Promise.all([
    pool.scan(Buffer.from("a"), "a"),
    pool.scan(Buffer.from("b"), "b"),
    pool.scan(Buffer.from("c"), "c"),
  ]);
  await pool.close();
  for (const { outcome } of await waiting) assert.ok(outcome === "failed" || outcome === "scanned");
});
