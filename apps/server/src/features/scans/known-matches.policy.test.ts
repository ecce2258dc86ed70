// Tests that the findings without known secrets are complete in every kind of source.
import { KnownSecretIndex, knownForms, scanText } from "@strongroom/detectors";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { DetectedFinding } from "#features/findings/index.ts";
import { ofColumns } from "./databases.policy.ts";
import { joinVersions } from "./file-versions.ts";
import { joinMatches } from "./known-matches.policy.ts";

const KEY = randomBytes(32);
const SECRET = "k7Wq-2zP0x";
const INDEX = new KnownSecretIndex(
  KEY,
  knownForms(SECRET, KEY).map((form) => ({ ...form, id: "account" })),
);

function joined(text: string, path = "a.conf") {
  const options = { path, fingerprint: (value: string) => value };
  return joinMatches(scanText(text, options), scanText(text, { ...options, knownSecrets: INDEX }));
}

test("a known secret replaces the findings that overlap it, and no others", () => {
  const found = joined(
    `password = ${SECRET}\npassword_a = head@${SECRET}#tail\npassword_b = Zx8-other-9Qw\nrun (${SECRET})\n`,
  );
  assert.deepEqual(
    found.map(({ class: kind, line, fingerprint, hiddenFrom }) => [kind, line, fingerprint, hiddenFrom]),
    [
      ["known_secret", 1, SECRET, []],
      ["known_secret", 2, SECRET, []],
      ["known_secret", 4, SECRET, []],
      ["password", 1, SECRET, ["account"]],
      ["password", 2, `head@${SECRET}#tail`, ["account"]],
      ["password", 3, "Zx8-other-9Qw", []],
    ],
  );
});

test("the findings without known secrets are those of a scan without them", () => {
  for (const text of [
    `url = postgres://shop:${SECRET}@db/shop\n`,
    `{"password": "${SECRET}", "token": "${SECRET} ${SECRET}"}\n`,
    `mysql -uroot -p${SECRET} shop\n`,
    `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`,
  ]) {
    const plain = joined(text).filter(({ class: kind }) => kind !== "known_secret");
    const facts = (each: (typeof plain)[number]) => ({ ...each, hiddenFrom: undefined });
    assert.deepEqual(
      plain.map(facts),
      scanText(text, { path: "a.conf", fingerprint: (value) => value }).map((each) => ({
        ...each,
        hiddenFrom: undefined,
      })),
    );
  }
});

const detected = (more: Partial<DetectedFinding>): DetectedFinding => ({
  type: "hardcoded_password",
  class: "password",
  detector: "assignment",
  reason: "A password.",
  confidence: 0.9,
  line: 1,
  keyName: "password",
  userName: null,
  host: null,
  port: null,
  preview: "••••",
  fingerprint: SECRET,
  knownSecrets: [],
  context: [],
  ...more,
});

test("a column with many passwords is one finding for all users, and a known secret in it a second one", () => {
  const rows = ["a", "b", "c", SECRET].map((fingerprint) => detected({ fingerprint }));
  const hidden = rows.map((row) => (row.fingerprint === SECRET ? { ...row, hiddenFrom: ["account"] } : row));
  const match = detected({ class: "known_secret", knownSecrets: ["account"] });
  const column = { place: "column:shop.public.users.password", name: "password" };
  const counted = { rows: 4, hash: (text: string) => text };
  const plain = ofColumns(column, new Map([[column.place, rows]]), counted);
  const both = ofColumns(column, new Map([[column.place, [match, ...hidden]]]), counted);
  assert.deepEqual(both, [match, ...plain]);
  assert.deepEqual(
    plain.map(({ detector, hiddenFrom }) => [detector, hiddenFrom]),
    [["column", []]],
  );
});

test("a secret that only an earlier version shows without known secrets is found there", () => {
  const taken: { found: readonly DetectedFinding[] | null }[] = [];
  const versions = joinVersions({ take: (file) => void taken.push(file) }, { history: true });
  const file = { path: "git:app.git:a.conf" } as never as Parameters<typeof versions.begin>[0];
  const version = { commit: "c".repeat(40), author: "Ada", committedAt: "2026-01-01T00:00:00Z" };
  const match = detected({ class: "known_secret", detector: "known-secret", knownSecrets: ["account"] });
  const newest = versions.begin({ ...file, version: { ...version, isCurrent: true, isLast: false } });
  const earlier = versions.begin({ ...file, version: { ...version, isCurrent: false, isLast: true } });
  newest([match]);
  earlier([match, detected({ hiddenFrom: ["account"] })]);
  assert.deepEqual(
    taken[0]?.found?.map(({ class: kind, reason }) => [kind, reason.includes("commit")]),
    [
      ["known_secret", false],
      ["password", true],
    ],
  );
});
