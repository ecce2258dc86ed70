// Tests of what-if: fixing an item leads to the announced score, and only visible items have an effect.
import {
  MOST_FIXED_ITEMS,
  RISK_FACTORS,
  changeFindingStatus,
  createToken,
  listRiskItems,
  overallRisk,
  previewRiskScore,
  readRiskAssessment,
} from "@strongroom/contract";
import type { FixedRiskItem, InputOf, ReplyOf, RiskFactor, RiskFactorId, RiskItem } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { stands } from "#features/validation/testing/world.ts";
import type { World } from "#features/validation/testing/world.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aRiskyWorld } from "./testing/risky-world.ts";

type Body = NonNullable<InputOf<typeof previewRiskScore>["body"]>;
type Preview = NonNullable<ReplyOf<typeof previewRiskScore>["data"]>;

let app: TestApp;
let world: World;
before(async () => {
  app = await testApp();
  ({ world } = await aRiskyWorld(app));
});
after(() => app.close());

const preview = (as: TestPerson, body: Body) => app.call(previewRiskScore, { body, as: as.token });

async function previewed(as: TestPerson, body: Body): Promise<Preview> {
  const reply = await preview(as, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data!;
}

async function items(factor: RiskFactorId): Promise<RiskItem[]> {
  const reply = await app.call(listRiskItems, { params: { factor }, query: { limit: "500" }, as: world.admin.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

async function assess(as: TestPerson) {
  const reply = await app.call(readRiskAssessment, { query: {}, as: as.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data!;
}

const selected = (factor: RiskFactorId, list: readonly { id: string }[]): FixedRiskItem[] =>
  list.map(({ id }) => ({ factor, id }));

const factsOf = (factors: readonly RiskFactor[]) =>
  Object.fromEntries(factors.map(({ id, score, affected, total }) => [id, { score, affected, total }]));

const execute = (text: string, id: string) => app.database.pool.query(text, [id]);

async function closeFinding({ id }: RiskItem): Promise<void> {
  const body = { status: "remediated", reason: "Removed from the file" } as const;
  const reply = await app.call(changeFindingStatus, { params: { id }, body, as: world.owner.token });
  assert.equal(reply.status, 200, reply.text);
}

async function rotate({ id }: RiskItem): Promise<void> {
  await execute("update accounts set rotated_at = now() where id = $1", id);
  await execute("update known_secrets set fingerprint = secret_id::text where secret_id = $1", id);
}

const renew = (item: RiskItem) =>
  item.kind === "finding"
    ? closeFinding(item)
    : execute("update credentials set expires_at = now() + interval '1 year' where id = $1", item.id);

const addSecondFactor = ({ id }: RiskItem) =>
  execute(
    `insert into factors (id, user_id, kind, name, sealed, created_at)
     values (gen_random_uuid(), $1, 'totp', 'A phone', '', now())`,
    id,
  );

describe("without a fix", () => {
  test("nothing selected leaves the score as it is", async () => {
    const { overall_risk_score: score, risk_factors } = await assess(world.admin);
    assert.deepEqual(await previewed(world.admin, {}), {
      overall_risk_score: score,
      score_if_fixed: score,
      risk_factors,
    });
  });

  test("selected factors lead to the score of the assessment after fixing them", async () => {
    const { risk_factors } = await assess(world.admin);
    for (const { id, score_if_fixed } of risk_factors) {
      assert.equal((await previewed(world.admin, { factors: [id] })).score_if_fixed, score_if_fixed, id);
    }
    assert.equal((await previewed(world.admin, { factors: [...RISK_FACTORS] })).score_if_fixed, 0);
  });

  test("a factor and single items of another are fixed together", async () => {
    const [first] = await items("failed_verifications");
    const fixed = selected("failed_verifications", [first!]);
    const both = await previewed(world.admin, { factors: ["missing_mfa"], items: fixed });
    const single = await previewed(world.admin, { items: fixed });
    const rest = single.risk_factors.filter(({ id }) => id !== "missing_mfa");
    assert.equal(both.score_if_fixed, overallRisk(rest));
    assert.equal(factsOf(both.risk_factors)["missing_mfa"]!.score, 0);
  });

  test("an item selected twice counts once", async () => {
    const fixed = selected("failed_verifications", (await items("failed_verifications")).slice(0, 1));
    assert.deepEqual(
      await previewed(world.admin, { items: [...fixed, ...fixed] }),
      await previewed(world.admin, { items: fixed }),
    );
  });

  test("stores no score and no audit entry", async () => {
    const stored = async () => {
      const { rows } = await app.database.pool.query(
        `select (select count(*) from risk_snapshots) as scores, (select count(*) from audit_entries) as entries,
           (select count(*) from findings where status = 'new') as findings`,
      );
      return rows;
    };
    const was = await stored();
    await previewed(world.admin, { items: selected("exposed_secrets", await items("exposed_secrets")) });
    assert.deepEqual(await stored(), was);
  });

  test("ids that the caller cannot see have the same effect as ids that do not exist: none", async () => {
    const unknown = { items: selected("exposed_secrets", [{ id: crypto.randomUUID() }]) };
    const nothing = await previewed(world.reader, {});
    assert.deepEqual(await previewed(world.reader, unknown), nothing);
    for (const factor of ["exposed_secrets", "missing_mfa", "unmanaged_privileged"] as const) {
      const hidden = await items(factor);
      assert.ok(hidden.length > 0, factor);
      assert.deepEqual(await previewed(world.reader, { items: selected(factor, hidden) }), nothing, factor);
    }
    const outsider = await preview(world.outsider, {
      items: selected("exposed_secrets", await items("exposed_secrets")),
    });
    assert.deepEqual([outsider.status, outsider.body.data], [200, null]);
  });

  test("a token without account.retrieve does not learn which accounts share a secret", async () => {
    const scopes: NonNullable<InputOf<typeof createToken>["body"]>["scopes"] = ["risk.read"];
    const made = await app.call(createToken, {
      body: { name: "Monitor", scopes, expires_in_days: 1 },
      as: world.owner.token,
    });
    assert.equal(made.status, 201, made.text);
    const token = { ...world.owner, token: made.body.token };
    const shared = selected("shared_passwords", (await items("shared_passwords")).slice(0, 1));
    const { affected } = factsOf((await previewed(token, { items: shared })).risk_factors)["shared_passwords"]!;
    assert.equal(affected, 0);
  });

  test("refuses too many items, unknown factors, unknown fields and invalid ids", async () => {
    const status = async (body: object) => (await preview(world.admin, body)).status;
    const many = (count: number) =>
      selected(
        "stale_passwords",
        Array.from({ length: count }, () => ({ id: crypto.randomUUID() })),
      );
    assert.equal(await status({ items: many(MOST_FIXED_ITEMS) }), 200);
    assert.equal(await status({ items: many(MOST_FIXED_ITEMS + 1) }), 400);
    assert.equal(await status({ items: [{ factor: "nothing", id: crypto.randomUUID() }] }), 400);
    assert.equal(await status({ items: [{ factor: "missing_mfa", id: "1" }] }), 400);
    assert.equal(await status({ items: [{ factor: "missing_mfa", id: crypto.randomUUID(), score: 0 }] }), 400);
    assert.equal(await status({ item: [] }), 400);
    assert.equal(await status({ factors: ["nothing"] }), 400);
    assert.equal(await status({ timeframe: "1y" }), 400);
  });
});

describe("fixing items leads to the announced scores", () => {
  const cases: [RiskFactorId, fix: (item: RiskItem) => Promise<unknown>, count: number][] = [
    ["exposed_secrets", closeFinding, 1],
    ["missing_mfa", addSecondFactor, 1],
    ["missing_mfa", addSecondFactor, 3],
    // The accounts share one secret, so a rotation of one fixes the other as well.
    ["shared_passwords", rotate, 1],
    ["stale_passwords", rotate, 1],
    ["failed_verifications", (item) => stands(app, item, "verified"), 1],
    ["failed_verifications", (item) => stands(app, item, "verified"), 2],
    ["expiring_secrets", renew, 1],
    ["expiring_secrets", renew, 1],
  ];
  for (const [factor, fix, count] of cases) {
    test(`${factor}: ${count} at a time`, async () => {
      const list = (await items(factor)).slice(0, count);
      assert.equal(list.length, count);
      const announced = await previewed(world.admin, { items: selected(factor, list) });
      const before = await assess(world.admin);
      assert.equal(announced.overall_risk_score, before.overall_risk_score);
      for (const item of list) await fix(item);
      const now = await assess(world.admin);
      assert.notDeepEqual(factsOf(now.risk_factors), factsOf(before.risk_factors));
      assert.deepEqual(factsOf(announced.risk_factors), factsOf(now.risk_factors));
      assert.equal(announced.score_if_fixed, now.overall_risk_score);
    });
  }

  test("standing_access: all accounts of a safe", async () => {
    const list = await items("standing_access");
    const announced = await previewed(world.admin, { items: selected("standing_access", list) });
    await app.database.pool.query("update safe_members set expires_at = now() + interval '1 day'");
    const now = await assess(world.admin);
    assert.deepEqual(factsOf(announced.risk_factors), factsOf(now.risk_factors));
    assert.equal(announced.score_if_fixed, now.overall_risk_score);
  });
});
