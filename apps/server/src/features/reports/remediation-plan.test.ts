// Tests of the remediation plan: its order, its limit, and the details of its items.
import { RISK_FACTORS, downloadReport, generateReport, overallRisk, readReport } from "@strongroom/contract";
import type { RiskAssessment, RiskItem } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aRiskyWorld } from "#features/risk/testing/risky-world.ts";
import { factorsOf } from "#features/risk/index.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { planFixes } from "./remediation-plan.ts";
import type { RemediationPlan } from "./remediation-plan.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test("a finding has its assignee, its due date and its steps", async () => {
  const { world } = await aRiskyWorld(app);
  const { owner } = world;
  await app.database.pool.query(
    "update findings set assignee_id = $1, due_at = '2026-12-24T10:00:00Z' where risk_score = 90",
    [owner.id],
  );
  const as = { as: owner.token };
  const report = await app.call(generateReport, { body: {}, ...as });
  const byId = { params: { id: report.body.id } };
  await eventually(async () => {
    const { body } = await app.call(readReport, { ...byId, ...as });
    return body.status === "completed" ? true : null;
  });
  const file = await app.call(downloadReport, { ...byId, query: { format: "json" }, ...as });
  const { remediation } = JSON.parse(file.text) as { remediation: RemediationPlan };
  const step = remediation.steps.find(({ item }) => item.name === "Password in 90")!;
  const { rows } = await app.database.pool.query<{ name: string }>("select name from users where id = $1", [owner.id]);
  assert.equal(step.owner, rows[0]!.name);
  assert.equal(step.due_at, "2026-12-24T10:00:00.000Z");
  assert.match(step.details.join(" "), /chmod go-rwx '\/etc\/90'/);
});

const anItem = (index: number): RiskItem => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
  kind: "account",
  name: `account ${index}`,
  place: "",
  detail: "",
  since: null,
});

test("the plan is limited and starts with the item that lowers the score most", () => {
  const none = { affected: 0, total: 200, isAssessed: true };
  const facts = {
    ...Object.fromEntries(RISK_FACTORS.map((id) => [id, none])),
    missing_mfa: { affected: 1, total: 1, isAssessed: true },
    stale_passwords: { affected: 150, total: 200, isAssessed: true },
  };
  const assessment = { risk_factors: factorsOf(facts) } as RiskAssessment;
  const lists = {
    missing_mfa: [anItem(0)],
    stale_passwords: Array.from({ length: 150 }, (_, index) => anItem(index + 1)),
  };
  const { steps, more } = planFixes(assessment, lists);
  assert.deepEqual([steps.length, more, steps[0]!.factor], [100, 51, "missing_mfa"]);
  const left = { ...facts, missing_mfa: none, stale_passwords: { ...facts.stale_passwords, affected: 51 } };
  assert.equal(steps.at(-1)!.score_after, overallRisk(factorsOf(left)));
});
