// Tests of the risk assessment: its facts, its visibility, its formulas and its trend.
import {
  RISK_FACTORS,
  createToken,
  generateRiskAssessment,
  listRiskItems,
  overallRisk,
  readComplianceStatus,
  readRiskAssessment,
  readRiskTrend,
} from "@strongroom/contract";
import type { InputOf, ReplyOf, RiskAssessment, RiskFactorId, RiskItem } from "@strongroom/contract";
import fc from "fast-check";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { stands } from "#features/validation/testing/world.ts";
import type { World } from "#features/validation/testing/world.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { complianceImpact } from "#features/findings/index.ts";
import { complianceOf } from "./controls.ts";
import { factorsOf } from "./risk.policy.ts";
import { aRiskyWorld } from "./testing/risky-world.ts";

type ListReply = { status: number; text: string; body: ReplyOf<typeof listRiskItems> };
type TokenScopes = NonNullable<InputOf<typeof createToken>["body"]>["scopes"];
type Query = InputOf<typeof readRiskAssessment>["query"];

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

async function assess(as: TestPerson, query: Query = {}): Promise<RiskAssessment | null> {
  const reply = await app.call(readRiskAssessment, { query, as: as.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

async function items(as: TestPerson, factor: RiskFactorId, query: Query = {}): Promise<RiskItem[]> {
  const found: RiskItem[] = [];
  let cursor: string | undefined;
  do {
    const page: InputOf<typeof listRiskItems>["query"] = { ...query, limit: "2", cursor };
    const { status, body, text }: ListReply = await app.call(listRiskItems, {
      params: { factor },
      query: page,
      as: as.token,
    });
    assert.equal(status, 200, text);
    found.push(...body.data);
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

const factorIn = (assessment: RiskAssessment | null, id: RiskFactorId) =>
  assessment?.risk_factors.find((each) => each.id === id);

test("RISK-03: there is no assessment before the first account", async () => {
  assert.equal(await assess(await firstAdmin(app)), null);
});

describe("with accounts, sessions and scans", () => {
  let world: World;
  let targetId: string;
  before(async () => {
    ({ world, targetId } = await aRiskyWorld(app));
  });

  test("RISK-01, RISK-06, RISK-07: the factors count real facts", async () => {
    const assessment = await assess(world.admin);
    const counts = Object.fromEntries(
      assessment!.risk_factors.map(({ id, affected, total }) => [id, [affected, total]]),
    );
    const { rows } = await app.database.pool.query<{ count: number }>(
      "select count(*)::integer as count from users where kind = 'person' and status = 'active'",
    );
    assert.deepEqual(counts, {
      exposed_secrets: [2, null],
      unmanaged_privileged: [2, 2],
      missing_mfa: [rows[0]!.count, rows[0]!.count],
      shared_passwords: [2, 2],
      // The disabled account does not count.
      stale_passwords: [2, 5],
      unrecorded_sessions: [0, 0],
      // The safe's owner retrieves without approval.
      standing_access: [5, 5],
      failed_verifications: [4, 5],
      // Only secrets with an end, and the two certificates that the scan found.
      expiring_secrets: [2, 3],
    });
    assert.equal(factorIn(assessment, "unrecorded_sessions")!.is_assessed, false);
    const scores = assessment!.risk_factors.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((one, other) => other - one),
    );
    assert.equal(assessment!.overall_risk_score, overallRisk(assessment!.risk_factors));
    assert.equal(assessment!.risk_level, "critical");
  });

  test("the list behind each factor has as many items as its figure, for every user", async () => {
    for (const person of [world.admin, world.owner, world.reader, world.requester, world.outsider]) {
      const assessment = await assess(person);
      for (const id of RISK_FACTORS) {
        const list = await items(person, id);
        assert.equal(list.length, factorIn(assessment, id)?.affected ?? 0, `${person.email}: ${id}`);
        assert.equal(new Set(list.map((item) => item.id)).size, list.length);
      }
    }
  });

  test("findings are listed with the highest risk first, by title, place and due date", async () => {
    const due = "update findings set due_at = '2026-12-24T10:00:00Z', liveness = 'live' where risk_score = 90";
    await app.database.pool.query(due);
    const list = await items(world.admin, "exposed_secrets");
    assert.deepEqual(
      list.map(({ name, place, detail }) => ({ name, place, detail })),
      [
        { name: "Password in 90", place: "works.example.com:/etc/90", detail: "Risk score 90, works, due 2026-12-24" },
        { name: "Password in 65", place: "works.example.com:/etc/65", detail: "Risk score 65" },
      ],
    );
  });

  test("users see only facts about accounts and targets that they can see", async () => {
    assert.equal(await assess(world.outsider), null);
    // A member who may only list accounts sees no discovery target, and no users.
    const reader = await assess(world.reader);
    assert.equal(factorIn(reader, "missing_mfa"), undefined);
    assert.equal(factorIn(reader, "exposed_secrets")!.is_assessed, false);
    assert.equal(factorIn(reader, "failed_verifications")!.affected, 4);
    assert.deepEqual(await items(world.reader, "missing_mfa"), []);
    // It does not reveal which secrets are equal either, because a reader could store guesses and compare them.
    assert.equal(factorIn(reader, "shared_passwords")!.affected, 0);
    assert.equal(factorIn(await assess(world.owner), "shared_passwords")!.affected, 2);
  });

  test("RISK-12: a target limits the facts to its host", async () => {
    const assessment = await assess(world.owner, { targetId: targetId });
    assert.equal(factorIn(assessment, "missing_mfa"), undefined);
    assert.equal(factorIn(assessment, "failed_verifications")!.affected, 0);
    assert.equal(factorIn(assessment, "expiring_secrets")!.affected, 2);
    assert.deepEqual(assessment!.trends.risk_score_trend, []);
    // A target that the caller cannot see is the same as one that does not exist.
    assert.equal(await assess(world.reader, { targetId: targetId }), null);
    assert.equal(await assess(world.reader, { targetId: crypto.randomUUID() }), null);
  });

  test("RISK-08: a control without data is not assessed, and a violation names its facts", async () => {
    const { compliance_scores: scores } = (await assess(world.admin))!;
    assert.deepEqual(Object.keys(scores).toSorted(), ["gdpr", "hipaa", "iso27001", "pci_dss", "soc2", "sox"]);
    const pci = new Map(scores.pci_dss.controls.map((control) => [control.id, control]));
    assert.equal(pci.get("10.2.1.2")!.status, "not_assessed");
    assert.equal(pci.get("12.10.1")!.status, "not_assessed");
    assert.equal(pci.get("8.6.2")!.status, "not_met");
    assert.ok(scores.pci_dss.violations.some((text) => text.startsWith("8.3.9 ") && text.includes("2 of 5 accounts")));
    assert.ok(scores.pci_dss.score! < 100);
    assert.match(pci.get("4.2.1")!.evidence, /^2 of 2 certificates/);
  });

  test("RISK-08: a control about certificates or keys is not met by facts about passwords", () => {
    const clean = { affected: 0, total: 5, isAssessed: true };
    const scores = complianceOf({ expiring_secrets: clean, shared_passwords: clean });
    const statusOf = (framework: "pci_dss" | "iso27001", id: string) =>
      scores[framework].controls.find((control) => control.id === id)!.status;
    assert.equal(statusOf("pci_dss", "4.2.1"), "not_assessed");
    assert.equal(statusOf("iso27001", "A.8.24"), "not_assessed");
  });

  for (const [kind, fact] of [
    ["password", "exposed_secrets"],
    ["private_key", "exposed_keys"],
    ["encryption_key", "exposed_keys"],
    ["shared_key", "shared_accounts"],
    ["service_login", "shared_accounts"],
  ] as const) {
    test(`RISK-08: no control that a finding of the class ${kind} breaks is met`, () => {
      const facts = { affected: 1, total: null, isAssessed: true };
      const scores = complianceOf({ [fact]: facts, exposed_secrets: facts });
      for (const { framework, control } of complianceImpact(kind)) {
        const found = scores[framework].controls.find(({ id }) => id === control);
        assert.equal(found?.status, "not_met", `${framework} ${control}`);
      }
    });
  }

  test("RISK-09: recommendations start with the one that lowers the score most", async () => {
    const { recommendations, overall_risk_score: score } = (await assess(world.admin))!;
    const after = recommendations.map(({ score_if_done }) => score_if_done);
    assert.deepEqual(
      after,
      after.toSorted((one, other) => one - other),
    );
    assert.ok(after.every((each) => each <= score));
    assert.ok(recommendations.every(({ factor }) => factor !== "unrecorded_sessions"));
  });

  test("RISK-10, RISK-11: an administrator's assessment is recorded, and its score becomes today's in the trend", async () => {
    const { admin, owner } = world;
    const whole = { body: { targetIds: [], options: {} } };
    const byOwner = await app.call(generateRiskAssessment, { ...whole, as: owner.token });
    assert.equal(byOwner.status, 200, byOwner.text);
    assert.deepEqual((await assess(admin))!.trends.risk_score_trend, []);
    await app.call(generateRiskAssessment, { ...whole, as: admin.token });
    const generated = await app.call(generateRiskAssessment, { ...whole, as: admin.token });
    const { trends, overall_risk_score: score } = (await assess(admin))!;
    const date = app.kernel.clock.now().toISOString().slice(0, 10);
    assert.deepEqual(trends.risk_score_trend, [{ date, score }]);
    assert.deepEqual(trends.findings_trend, [
      { date, count: 2, type: "certificate" },
      { date, count: 4, type: "hardcoded_password" },
    ]);
    assert.equal(generated.body.data!.overall_risk_score, score);
    assert.deepEqual((await assess(owner))!.trends.risk_score_trend, []);
    const { rowCount } = await app.database.pool.query("select from audit_entries where event = 'risk.assessed'");
    assert.equal(rowCount, 3);
  });

  test("API-80: trends have a value for each day, and scores only for users who see every safe", async () => {
    const trend = (as: TestPerson, query: InputOf<typeof readRiskTrend>["query"] = {}) =>
      app.call(readRiskTrend, { query, as: as.token });
    const date = app.kernel.clock.now().toISOString().slice(0, 10);
    const assessment = (await assess(world.admin))!;
    const overall = (await trend(world.admin)).body;
    assert.deepEqual(overall, {
      metric: "risk_score",
      days: 30,
      data: [{ date, value: assessment.overall_risk_score }],
    });
    const stale = await trend(world.admin, { metric: "stale_passwords", days: "7" });
    assert.deepEqual(stale.body.data, [{ date, value: factorIn(assessment, "stale_passwords")!.score }]);
    assert.deepEqual((await trend(world.owner)).body.data, []);
    assert.deepEqual((await trend(world.owner, { metric: "findings" })).body.data, [{ date, value: 6 }]);
    assert.deepEqual((await trend(world.reader, { metric: "findings" })).body.data, []);
    assert.equal((await trend(world.admin, { days: "366" })).status, 400);
  });

  test("a token without account.retrieve compares no secrets, even for an administrator", async () => {
    const sharedWith = async (person: TestPerson, scopes: TokenScopes) => {
      const body = { name: "Monitor", scopes, expires_in_days: 1 };
      const made = await app.call(createToken, { body, as: person.token });
      assert.equal(made.status, 201, made.text);
      const token = { ...person, token: made.body.token };
      const generated = await app.call(generateRiskAssessment, { body: {}, as: token.token });
      assert.equal(generated.status, 200, generated.text);
      return factorIn(await assess(token), "shared_passwords")!.affected;
    };
    const scores = async () => (await app.database.pool.query("select factors from risk_snapshots")).rows;
    const recorded = await scores();
    assert.equal(await sharedWith(world.owner, ["risk.read", "account.retrieve"]), 2);
    assert.equal(await sharedWith(world.owner, ["risk.read"]), 0);
    assert.equal(await sharedWith(world.admin, ["risk.read"]), 0);
    // Its incomplete score is not recorded either.
    assert.deepEqual(await scores(), recorded);
    assert.equal(await sharedWith(world.admin, ["risk.read", "account.retrieve"]), 2);
  });

  test("API-79: the compliance status has the chosen frameworks with the scores of the assessment", async () => {
    const status = (as: TestPerson, frameworks?: string) =>
      app.call(readComplianceStatus, { query: { frameworks }, as: as.token });
    const { compliance_scores: scores } = (await assess(world.owner))!;
    assert.deepEqual((await status(world.owner)).body.data, scores);
    const { sox, gdpr } = scores;
    assert.deepEqual((await status(world.owner, "sox,gdpr")).body.data, { sox, gdpr });
    assert.equal((await status(world.owner, "sox,unknown")).status, 400);
  });

  test("fixing an account lowers the score", async () => {
    const before = (await assess(world.owner))!;
    for (const account of [world.refused, world.unreachable, world.lent]) await stands(app, account, "verified");
    const now = (await assess(world.owner))!;
    assert.ok(factorIn(now, "failed_verifications")!.score < factorIn(before, "failed_verifications")!.score);
    assert.ok(now.overall_risk_score <= before.overall_risk_score);
  });
});

test("refuses unknown factors, time frames and parameters", async () => {
  const person = await aPerson(app);
  const bad = async (query: Record<string, string>) =>
    (await app.call(readRiskAssessment, { query: query, as: person.token })).status;
  assert.equal(await bad({ timeframe: "1y" }), 400);
  assert.equal(await bad({ targetId: "x" }), 400);
  assert.equal(await bad({ target: "x" }), 400);
  const unknown = await app.call(listRiskItems, { params: { factor: "nothing" as never }, as: person.token });
  assert.equal(unknown.status, 404);
});

const facts = fc.record({
  affected: fc.nat(1000),
  rest: fc.nat(1000),
});

test("fixing an item never raises the overall score, and nothing affected means zero", () => {
  fc.assert(
    fc.property(fc.array(facts, { minLength: RISK_FACTORS.length, maxLength: RISK_FACTORS.length }), (all) => {
      const factsOf = (fixed: number) =>
        Object.fromEntries(
          RISK_FACTORS.map((id, index) => {
            const { affected, rest } = all[index]!;
            return [id, { affected: Math.max(0, affected - fixed), total: affected + rest, isAssessed: true }];
          }),
        );
      assert.ok(overallRisk(factorsOf(factsOf(1))) <= overallRisk(factorsOf(factsOf(0))));
      assert.equal(overallRisk(factorsOf(factsOf(1000))), 0);
    }),
  );
});

test("a framework without any data is not assessed, and one without violations is compliant", () => {
  assert.equal(complianceOf({}).sox.status, "not_assessed");
  assert.equal(complianceOf({}).sox.score, null);
  const clean = Object.fromEntries(
    RISK_FACTORS.map((id) => [id, { affected: 0, total: id === "exposed_secrets" ? null : 5, isAssessed: true }]),
  );
  for (const { status, score, violations } of Object.values(complianceOf(clean))) {
    assert.deepEqual({ status, score, violations }, { status: "compliant", score: 100, violations: [] });
  }
});
