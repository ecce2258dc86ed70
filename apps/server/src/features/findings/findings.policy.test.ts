// Tests of the risk score, the due date and the rules of findings.
import { RISK_BANDS, severityOfRisk } from "@strongroom/contract";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  classAt,
  dueAfter,
  dueAt,
  matchesPath,
  mayFollow,
  riskFactors,
  riskScore,
  ruleFor,
} from "./findings.policy.ts";
import type { RiskFacts } from "./findings.policy.ts";
import { complianceImpact, remediationSteps } from "./remediation.policy.ts";

const NOW = new Date("2026-11-25T12:00:00Z");
const FACTS: RiskFacts = {
  path: "/etc/app.conf",
  class: "password",
  confidence: 1,
  fileMode: "600",
  liveness: "unverified",
  username: null,
  isOfAccount: false,
  targets: 1,
  modifiedAt: NOW,
};
const scoreOf = (facts: Partial<RiskFacts>): number => riskScore(riskFactors({ ...FACTS, ...facts }, NOW));

describe("the risk score", () => {
  for (const [name, facts, score] of [
    ["a password in a private file", {}, 45],
    ["a password that every user can read", { fileMode: "644" }, 65],
    ["a password that its group can read", { fileMode: "640" }, 53],
    ["a password of root", { username: "root" }, 55],
    ["a password that works", { liveness: "live" }, 65],
    ["a password that no longer works", { liveness: "dead" }, 15],
    ["a password on three targets", { targets: 3 }, 55],
    ["a password on twenty targets", { targets: 20 }, 60],
    ["an uncertain password", { confidence: 0.5 }, 35],
    ["an old file", { modifiedAt: new Date("2024-01-01T00:00:00Z") }, 50],
    [
      "a certificate that every user can read on three targets",
      { class: "certificate", fileMode: "644", targets: 3 },
      40,
    ],
    ["a service account of the same name on three targets", { class: "service_login", targets: 3 }, 40],
    ["a host key that only root can read", { class: "host_key" }, 20],
    ["a host key of three targets", { class: "host_key", targets: 3 }, 30],
    [
      "a live root password of an account, open to all",
      { class: "known_secret", isOfAccount: true, username: "root", liveness: "live", fileMode: "644" },
      100,
    ],
  ] as const) {
    test(`is ${score} for ${name}`, () => assert.equal(scoreOf(facts), score));
  }

  test("is between 0 and 100, and a factor of exposure never lowers it", () => {
    const facts = fc.record({
      class: fc.constantFrom("password", "private_key", "certificate", "else"),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      username: fc.constantFrom(null, "root", "app"),
      isOfAccount: fc.boolean(),
      targets: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(facts, (some) => {
        const closed = scoreOf({ ...some, fileMode: "600" });
        const open = scoreOf({ ...some, fileMode: "644" });
        assert.ok(closed >= 0 && open <= 100 && closed <= open);
      }),
    );
  });

  test("FIND-12, OPEN-118: its bands are 80, 60 and 40", () => {
    const names = [100, 80, 79, 60, 59, 40, 39, 0].map(severityOfRisk).join(" ");
    assert.equal(names, "critical critical high high medium medium low low");
    assert.deepEqual(Object.values(RISK_BANDS), [80, 60, 40, 0]);
  });
});

test("a critical finding is due in 3 days, a low one in 180", () => {
  assert.equal(dueAt(90, NOW).toISOString(), "2026-11-28T12:00:00.000Z");
  assert.equal(dueAt(10, NOW).toISOString(), "2027-05-24T12:00:00.000Z");
});

test("a due date follows the severity until a user chooses another one", () => {
  const finding = { created_at: NOW, risk_score: 65, due_at: dueAt(65, NOW) };
  assert.equal(dueAfter(finding, 85)!.toISOString(), "2026-11-28T12:00:00.000Z");
  assert.equal(
    dueAfter({ ...finding, due_at: new Date("2026-12-24T00:00:00Z") }, 85)!.toISOString(),
    "2026-12-24T00:00:00.000Z",
  );
  assert.equal(dueAfter({ ...finding, due_at: null }, 85), null);
});

test("OPEN-120: only new may stay new", () => {
  assert.deepEqual(
    [mayFollow("new", "new"), mayFollow("accepted", "new"), mayFollow("new", "accepted")],
    [true, false, true],
  );
});

describe("a rule", () => {
  const finding = { path: "/srv/app/test/keys.conf", fingerprint: "abc", class: "password" };
  for (const [kind, matches, isMatch] of [
    ["path", "/srv/app/test/*", true],
    ["path", "*/test/*.conf", true],
    ["path", "/srv/app/test/keys.conf", true],
    ["path", "/srv/app/*.ini", false],
    ["path", "app", false],
    ["secret", "abc", true],
    ["secret", "abd", false],
    ["class", "password", true],
    ["class", "private_key", false],
  ] as const) {
    test(`of the kind ${kind} with ${matches} ${isMatch ? "covers" : "does not cover"} the finding`, () =>
      assert.equal(ruleFor([{ id: "1", kind, matches }], finding) !== null, isMatch));
  }

  test("with many stars takes linear time", () => {
    const started = performance.now();
    assert.equal(matchesPath("*a".repeat(60), `/${"a".repeat(50)}b`.repeat(80)), false);
    assert.ok(performance.now() - started < 1_000);
  });
});

test("steps name the file and quote it for the shell", () => {
  const found = {
    class: "password",
    detector: "assignment",
    path: "/srv/it's/a.conf",
    file_owner: "app",
    file_mode: "644",
  };
  const steps = remediationSteps({ ...found, key_name: "password", username: "app" });
  assert.ok(steps[0]!.includes(String.raw`chmod go-rwx '/srv/it'\''s/a.conf'`));
});

test("steps for a certificate never take away the right to read it", () => {
  const found = { class: "certificate", detector: "certificate", path: "/etc/ssl/certs/web.pem", file_owner: "root" };
  const steps = remediationSteps({ ...found, file_mode: "644", key_name: null, username: null });
  assert.ok(!steps.join(" ").includes("chmod"), steps.join("\n"));
});

test("a private key of sshd is a host key, and its steps replace the key of the host", () => {
  assert.equal(classAt("private_key", "/etc/ssh/ssh_host_ed25519_key"), "host_key");
  assert.equal(classAt("private_key", "/home/ada/ssh_host_ed25519_key"), "private_key");
  assert.equal(classAt("password", "/etc/ssh/ssh_host_rsa_key"), "password");
  const found = { class: "host_key", detector: "ssh-private-key", path: "/etc/ssh/ssh_host_rsa_key" };
  const steps = remediationSteps({ ...found, file_owner: "root", file_mode: "600", key_name: null, username: null });
  assert.ok(steps.join(" ").includes("known_hosts") && !steps.join(" ").includes("authorized_keys"), steps.join("\n"));
  assert.deepEqual(complianceImpact("host_key"), []);
});

test("a certificate violates no control, and a password violates one control of each framework", () => {
  assert.deepEqual(complianceImpact("certificate"), []);
  assert.equal(complianceImpact("password").length, 6);
});
