// Tests of reports: their contents, their readers, their schedules, and failed jobs.
import {
  MOST_REPORT_SCHEDULES,
  cancelReport,
  createReportSchedule,
  deleteReport,
  deleteReportSchedule,
  downloadReport,
  generateReport,
  listNotifications,
  listReportSchedules,
  listReports,
  readCheckpoint,
  readReport,
} from "@strongroom/contract";
import type { DiscoveryTargetId, InputOf, Report, RiskAssessment } from "@strongroom/contract";
import { readXlsx } from "hucre/xlsx";
import { verifyInclusion } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { aWorld } from "#features/validation/testing/world.ts";
import type { World } from "#features/validation/testing/world.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { endAbandoned } from "./generate-report.ts";
import type { RemediationPlan } from "./remediation-plan.ts";
import { nextAfter } from "./reports.policy.ts";

type Body = NonNullable<InputOf<typeof generateReport>["body"]>;

let app: TestApp;
let world: World;
before(async () => {
  app = await testApp();
  world = await aWorld(app);
});
after(() => app.close());

const byId = ({ id }: Pick<Report, "id">) => ({ params: { id } });

async function request(as: TestPerson, body: Body = {}): Promise<Report> {
  const reply = await app.call(generateReport, { body, as: as.token });
  assert.equal(reply.status, 202, reply.text);
  return reply.body;
}

const ended = (as: TestPerson, report: Pick<Report, "id">): Promise<Report> =>
  eventually(async () => {
    const { body } = await app.call(readReport, { ...byId(report), as: as.token });
    return body.status === "pending" || body.status === "running" ? null : body;
  });

async function completed(as: TestPerson, body: Body = {}): Promise<Report> {
  const report = await ended(as, await request(as, body));
  assert.equal(report.status, "completed", report.error_message ?? "");
  return report;
}

async function download(as: TestPerson, report: Report, format: "pdf" | "xlsx" | "json"): Promise<Buffer> {
  const url = `/api/v1/discovery/enhanced/reports/${report.id}/download?format=${format}`;
  const reply = await app.http.inject({ url, headers: { authorization: `Bearer ${as.token}` } });
  assert.equal(reply.statusCode, 200, reply.body);
  assert.match(
    String(reply.headers["content-disposition"]),
    new RegExp(`risk-assessment-\\d{4}-\\d\\d-\\d\\d\\.${format}"`),
  );
  return reply.rawPayload;
}

async function readPdf(content: Buffer) {
  const pdf = await getDocument({ data: new Uint8Array(content), verbosity: 0 }).promise;
  const pages: string[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    pages.push(items.map((item) => ("str" in item ? item.str : "")).join(" "));
  }
  return { pages, text: pages.join("\n"), pdf };
}

describe("a completed report", () => {
  let report: Report;
  let contents: Record<"pdf" | "xlsx" | "json", Buffer>;
  before(async () => {
    report = await completed(world.admin);
    contents = {
      pdf: await download(world.admin, report, "pdf"),
      xlsx: await download(world.admin, report, "xlsx"),
      json: await download(world.admin, report, "json"),
    };
  });

  test("REPORT-01, REPORT-05: is a tagged PDF with contents, page numbers and every section", async () => {
    const { pdf, pages, text } = await readPdf(contents.pdf);
    const { info } = await pdf.getMetadata();
    assert.equal((info as { Title: string }).Title, "Risk Assessment");
    const marks = (await pdf.getMarkInfo()) as unknown as ReadonlyMap<string, boolean>;
    assert.equal(marks.get("Marked"), true);
    for (const section of [
      "Executive summary",
      "Risk factors",
      "Compliance",
      "Remediation plan",
      "Affected items",
      "Evidence",
    ]) {
      const page = Number(new RegExp(`${section}\\s+(\\d+)`).exec(pages[1]!)?.[1]);
      assert.ok(pages[page - 1]?.includes(section), `${section} is not on page ${page}`);
    }
    assert.match(pages[2]!, new RegExp(`Page 3 of ${pages.length}`));
    assert.ok(text.includes(world.refused.name));
    const outline = await pdf.getOutline();
    assert.equal(outline.length, 6);
  });

  test("contains the same assessment in each format", async () => {
    const json = JSON.parse(contents.json.toString()) as { assessment: { overall_risk_score: number } };
    const { sheets } = await readXlsx(contents.xlsx);
    assert.deepEqual(
      sheets.map(({ name }) => name),
      ["Summary", "Risk factors", "Compliance", "Remediation", "Items to fix", "Affected items"],
    );
    const summary = new Map(sheets[0]!.rows.map(([name, value]) => [name, value]));
    assert.equal(summary.get("Overall risk score"), json.assessment.overall_risk_score);
    assert.equal(sheets[0]!.rows.filter(([name]) => name === "Fact").length, 1);
    const { text } = await readPdf(contents.pdf);
    assert.match(text, new RegExp(`${json.assessment.overall_risk_score}\\s+Overall risk score`));
  });

  test("the remediation plan lists the items with owners, until the score is 0", async () => {
    const { assessment, remediation } = JSON.parse(contents.json.toString()) as {
      assessment: RiskAssessment;
      remediation: RemediationPlan;
    };
    const { steps, more } = remediation;
    const affected = assessment.risk_factors.reduce((sum, factor) => sum + factor.affected, 0);
    assert.deepEqual([steps.length, more], [affected, 0]);
    const scores = steps.map(({ score_after }) => score_after);
    assert.deepEqual(
      scores,
      scores.toSorted((one, other) => other - one),
    );
    assert.equal(scores.at(-1), 0);
    const step = steps.find(({ factor, item }) => factor === "failed_verifications" && item.id === world.refused.id)!;
    assert.match(step.action, /verify it again/);
    const { rows } = await app.database.pool.query("select name from users where id = $1", [world.owner.id]);
    assert.equal(step.owner, rows[0].name);
    const sheet = (await readXlsx(contents.xlsx)).sheets.find(({ name }) => name === "Items to fix")!;
    assert.equal(sheet.rows.length, steps.length + 1);
    assert.ok((await readPdf(contents.pdf)).text.includes("Items to fix"));
  });

  test("the audit trail has the hash of each file", async () => {
    const { rows } = await app.database.pool.query<{ canonical: Buffer }>(
      "select canonical from audit_entries where event = 'report.generated' and target_id = $1",
      [report.id],
    );
    const { details } = JSON.parse(rows[0]!.canonical.toString()) as { details: Record<string, string> };
    for (const [format, content] of Object.entries(contents)) {
      const hash = createHash("sha256").update(content).digest("hex");
      assert.equal(details[`${format}_sha256`], hash);
      assert.equal(report.files.find((file) => file.format === format)?.sha256, hash);
    }
  });

  test("leaves out the remediation plan when its user does not want it", async () => {
    const short = await completed(world.admin, { includeRemediation: false });
    const { text } = await readPdf(await download(world.admin, short, "pdf"));
    assert.ok(!text.includes("Remediation plan"));
  });
});

test("the evidence of a report verifies against its signed root", async () => {
  await completed(world.admin);
  await eventually(async () => {
    const { body } = await app.call(readCheckpoint, { as: world.admin.token });
    return body.pending === 0 && body.size > 0 ? true : null;
  });
  const report = await completed(world.admin);
  const json = JSON.parse((await download(world.admin, report, "json")).toString()) as {
    evidence: {
      checkpoint: string;
      proofs: { leaf_index: number; leaf_hash: string; hashes: string[]; event: string }[];
    };
  };
  const [, size, root] = json.evidence.checkpoint.split("\n");
  assert.ok(json.evidence.proofs.length > 0);
  for (const { leaf_index, leaf_hash, hashes } of json.evidence.proofs) {
    const bytes = (hash: string): Buffer => Buffer.from(hash, "base64");
    const claim = { index: leaf_index, size: Number(size), leaf: bytes(leaf_hash), root: bytes(root!) };
    assert.ok(verifyInclusion({ ...claim, proof: hashes.map(bytes) }));
    assert.ok(!verifyInclusion({ ...claim, index: leaf_index + 1, proof: hashes.map(bytes) }));
  }
});

test("a report contains only what its user can see", async () => {
  const report = await completed(world.reader);
  const json = JSON.parse((await download(world.reader, report, "json")).toString()) as {
    assessment: { risk_factors: { id: string }[] };
    evidence: unknown;
  };
  assert.ok(!json.assessment.risk_factors.some(({ id }) => id === "missing_mfa"));
  assert.equal(json.evidence, null);
  const empty = await completed(world.outsider);
  assert.ok((await readPdf(await download(world.outsider, empty, "pdf"))).text.includes("to assess"));
});

test("a report does not name selected targets that its user cannot see", async () => {
  const { rows } = await app.database.pool.query<{ id: DiscoveryTargetId }>(
    `insert into discovery_targets (id, safe_id, name, target_type, connection_method, hostname, port, timeout_ms,
       credential_id, credential_safe_id, created_at, updated_at)
     select gen_random_uuid(), safe_id, 'Payroll database', 'linux', 'ssh', 'host', 22, 1000, id, safe_id, now(), now()
     from credentials where id = $1 returning id`,
    [world.refused.id],
  );
  const { id } = rows[0]!;
  const targetsFor = async (person: TestPerson) => {
    const report = await completed(person, { targetIds: [id] });
    return (JSON.parse((await download(person, report, "json")).toString()) as { targets: string[] }).targets;
  };
  assert.deepEqual(await targetsFor(world.owner), ["Payroll database"]);
  assert.deepEqual(await targetsFor(world.outsider), []);
  await app.database.pool.query("delete from discovery_targets where id = $1", [id]);
});

test("names outside Western Europe and formulas are printed as text", async () => {
  const name = "=HYPERLINK(1) Zażółć Дмитрий Ελένη";
  await app.database.pool.query("update credentials set name = $2 where id = $1", [world.refused.id, name]);
  const report = await completed(world.owner);
  const { text } = await readPdf(await download(world.owner, report, "pdf"));
  assert.ok(text.includes(name));
  const { sheets } = await readXlsx(await download(world.owner, report, "xlsx"));
  assert.ok(sheets.at(-1)!.rows.some((row) => row[1] === `'${name}`));
  await app.database.pool.query("update credentials set name = $2 where id = $1", [
    world.refused.id,
    world.refused.name,
  ]);
});

test("long names of files on a host delay no report", async () => {
  const { rows } = await app.database.pool.query<{ id: string }>(
    `insert into discovery_targets (id, safe_id, name, target_type, connection_method, hostname, port, timeout_ms,
       credential_id, credential_safe_id, created_at, updated_at)
     select gen_random_uuid(), safe_id, 'A host', 'linux', 'ssh', 'host', 22, 1000, id, safe_id, now(), now()
     from credentials where id = $1 returning id`,
    [world.refused.id],
  );
  await app.database.pool.query(
    `insert into findings (id, target_id, identity, path, fingerprint, finding_type, class, detector, reason, confidence,
       status, risk_score, risk_factors, is_below_threshold, line, preview, context, file_owner, file_group, file_mode,
       file_modified_at, first_scan_id, last_scan_id, created_at, last_seen_at)
     select gen_random_uuid(), $1, 'long-' || n, '/' || repeat(case n % 3 when 0 then 'a' when 1 then E'\\n' else '=' end, 4000) || n, md5('long-' || n),
       'hardcoded_password', 'password', 'assignment', 'A password.', 0.9, 'new', 90, '[]', false, 3, '••••', '[]', 'root', 'root',
       '644', now(), gen_random_uuid(), gen_random_uuid(), now(), now()
     from generate_series(1, 300) n`,
    [rows[0]!.id],
  );
  await completed(world.admin);
  await app.database.pool.query("delete from discovery_targets where id = $1", [rows[0]!.id]);
});

test("other users can neither list, read, download, cancel nor delete a report", async () => {
  const report = await completed(world.owner);
  const as = { as: world.admin.token };
  const list = await app.call(listReports, as);
  assert.ok(!list.body.data.some(({ id }) => id === report.id));
  for (const endpoint of [readReport, downloadReport, cancelReport, deleteReport] as const) {
    const reply = await app.call(endpoint, { ...byId(report), ...as });
    assert.equal(reply.status, 404, endpoint.path);
  }
});

test("a report that has not ended is not downloaded or deleted, and an ended one is not cancelled", async () => {
  const { rows } = await app.database.pool.query<{ id: Report["id"] }>(
    `insert into reports (id, user_id, report_type, target_ids, timeframe, include_remediation, status, created_at, expires_at)
     values (gen_random_uuid(), $1, 'risk_assessment', '{}', '30d', true, 'running', now(), now() + interval '1 day')
     returning id`,
    [world.owner.id],
  );
  const report = rows[0]!;
  const as = { as: world.owner.token };
  assert.equal((await app.call(downloadReport, { ...byId(report), ...as })).status, 409);
  assert.equal((await app.call(deleteReport, { ...byId(report), ...as })).status, 409);
  const cancelled = await app.call(cancelReport, { ...byId(report), ...as });
  assert.equal(cancelled.body.status, "cancelled");
  assert.equal((await app.call(cancelReport, { ...byId(report), ...as })).status, 409);
  assert.equal((await app.call(deleteReport, { ...byId(report), ...as })).status, 200);
  assert.equal((await app.call(readReport, { ...byId(report), ...as })).status, 404);
});

test("a report whose job is gone fails with a next step", async () => {
  const { rows } = await app.database.pool.query<{ id: Report["id"] }>(
    `insert into reports (id, user_id, report_type, target_ids, timeframe, include_remediation, status, created_at, expires_at)
     values (gen_random_uuid(), $1, 'risk_assessment', '{}', '30d', true, 'running', now(), now() + interval '1 day')
     returning id`,
    [world.owner.id],
  );
  await endAbandoned({ kernel: app.kernel } as never, rows[0]!.id);
  const { body } = await app.call(readReport, { ...byId(rows[0]!), as: world.owner.token });
  assert.equal(body.status, "failed");
  assert.match(body.error_message!, /Try again/);
});

test("a due schedule generates a report, notifies its user once and moves on", async () => {
  const person = await aPerson(app, "manager");
  const as = { as: person.token };
  const made = await app.call(createReportSchedule, { body: { cadence: "weekly" }, ...as });
  assert.equal(made.status, 201, made.text);
  await app.database.pool.query("update report_schedules set next_at = now() - interval '10 days' where id = $1", [
    made.body.id,
  ]);
  for (let run = 0; run < 2; run++)
    await app.database.transaction((tx) => app.kernel.jobs.enqueue(tx, "report.tidy", {}));
  const list = await eventually(async () => {
    const { body } = await app.call(listReports, as);
    return body.data.every(({ status }) => status === "completed") && body.data.length > 0 ? body.data : null;
  });
  assert.equal(list.length, 1);
  assert.equal(list[0]!.schedule_id, made.body.id);
  const notice = await eventually(async () => {
    const { body } = await app.call(listNotifications, as);
    return body.notifications.find(({ type }) => type === "report_ready") ?? null;
  });
  assert.equal(notice.link, "/discovery?tab=risk-assessment");
  const schedules = await app.call(listReportSchedules, as);
  assert.ok(Date.parse(schedules.body.data[0]!.next_at) > Date.now());
  const other = await app.call(deleteReportSchedule, { params: { id: made.body.id }, as: world.admin.token });
  assert.equal(other.status, 404);
  assert.equal((await app.call(deleteReportSchedule, { params: { id: made.body.id }, ...as })).status, 200);
});

test("concurrent calls add no more schedules than a user may have", async () => {
  const person = await aPerson(app, "manager");
  const calls = Array.from({ length: MOST_REPORT_SCHEDULES + 10 }, () =>
    app.call(createReportSchedule, { body: { cadence: "weekly" }, as: person.token }),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 201).length, MOST_REPORT_SCHEDULES);
  assert.equal(statuses.filter((status) => status === 409).length, 10);
});

test("schedules are due at 05:00 UTC, on Mondays or on the first of the month", () => {
  const at = (text: string) => new Date(text);
  assert.equal(nextAfter("daily", at("2026-11-25T04:59:59Z")).toISOString(), "2026-11-25T05:00:00.000Z");
  assert.equal(nextAfter("daily", at("2026-11-25T05:00:00Z")).toISOString(), "2026-11-26T05:00:00.000Z");
  assert.equal(nextAfter("weekly", at("2026-11-25T12:00:00Z")).toISOString(), "2026-11-30T05:00:00.000Z");
  assert.equal(nextAfter("weekly", at("2026-11-30T05:00:00Z")).toISOString(), "2026-12-07T05:00:00.000Z");
  assert.equal(nextAfter("monthly", at("2026-12-01T05:00:00Z")).toISOString(), "2027-01-01T05:00:00.000Z");
});
