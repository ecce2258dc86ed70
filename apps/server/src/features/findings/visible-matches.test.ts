// Tests that members of a safe learn nothing from a scan about secrets that they may not retrieve, with real sshds.
import {
  downloadReport,
  findingStatistics,
  generateReport,
  generateRiskAssessment,
  listEnhancedScans,
  listFindings,
  listRiskItems,
  readEnhancedScan,
  readFinding,
  readReport,
  readRiskAssessment,
  readRiskTrend,
} from "@strongroom/contract";
import type { EnhancedScanDetails, InputOf, exportFindings } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { readXlsx } from "hucre/xlsx";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { SSH, aDiscoveryWorld, byId } from "#features/discovery/testing/discovery-world.ts";
import { aPassword, aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

type Format = NonNullable<InputOf<typeof exportFindings>["body"]>["format"];
type Query = NonNullable<InputOf<typeof listFindings>["query"]>;

const START = "Tr0ub-";
const random = randomBytes(9).toString("hex");
/** Both passwords have the same characters, so that the detectors judge them alike. */
const PASSWORD = `${START}${random}`;
const OTHER = `${START}${[...random].toReversed().join("")}`;
const GUESSES = Array.from({ length: 19 }, aPassword);

/** Every syntax in which a known secret is found, with and without a finding that does not depend on it. */
const FILES: Readonly<Record<string, (guess: string, index: number) => string>> = {
  "guesses/settings.conf": (guess, index) => `password_${index} = ${guess}\n`,
  "guesses/commands.conf": (guess) => `Exec /opt/tool (${guess}) now\n`,
  "guesses/urls.conf": (guess, index) => `url${index} = postgres://shop:${guess}@db${index}.example.com/shop\n`,
  "guesses/encoded.conf": (guess) => `data = ${Buffer.from(guess).toString("base64")}\n`,
  "guesses/longer.conf": (guess, index) => `password_${index} = head@${guess}#tail-${index}\n`,
};

interface Guessed {
  host: ScannedHost;
  members: readonly TestPerson[];
  scan: EnhancedScanDetails;
}

/** A host with the guesses, scanned by a user who may retrieve the password; the members may not. */
async function aGuessedHost(app: ScannedHost["app"], last: string): Promise<Guessed> {
  const host = await aScannedHost(await aDiscoveryWorld({}, app));
  const { owner } = host;
  const login = { ...SSH, hostname: "db1.example.com", username: "root", password: PASSWORD };
  await anAccount(app, owner, host.safe, login);
  const members = [await aPerson(app, "manager"), await aPerson(app, "manager")];
  await aMember(app, owner, host.safe, members[0]!, ["list", "add"]);
  await aMember(app, owner, host.safe, members[1]!, ["list", "use", "view_audit"]);
  for (const [name, line] of Object.entries(FILES)) {
    host.write(name, [...GUESSES, last].map((guess, index) => line(guess, index)).join(""));
  }
  const scan = await host.scanned();
  assert.equal(scan.status, "completed", scan.error_message ?? "");
  return { host, members, scan };
}

/** Everything that the member can read about the scan and its findings. */
async function viewOf({ host, scan }: Guessed, { token: as }: TestPerson): Promise<Record<string, unknown>> {
  const { app } = host;
  const list = async (query: Query) => {
    const { data, total } = (await app.call(listFindings, { query: { limit: "200", ...query }, as })).body;
    return { data, total };
  };
  const all = await list({ includeBelowThreshold: "true" });
  const details = await Promise.all(
    all.data.map(async (finding) => (await app.call(readFinding, { ...byId(finding), as })).body),
  );
  const files = async (format: Format) => {
    const url = "/api/v1/discovery/enhanced/findings/export";
    const payload = {
      format,
      filters: { includeBelowThreshold: true },
      includeRemediation: true,
      includeCompliance: true,
    };
    const headers = { authorization: `Bearer ${as}` };
    const reply = await app.http.inject({ method: "POST", url, headers, payload });
    assert.equal(reply.statusCode, 200, reply.body);
    if (format === "excel") return (await readXlsx(reply.rawPayload)).sheets.map(({ rows }) => rows);
    return format === "csv" ? reply.body.split("\r\n") : (JSON.parse(reply.body) as unknown);
  };
  const report = async () => {
    const made = (await app.call(generateReport, { body: {}, as })).body;
    const ended = await eventually(async () => {
      const { body } = await app.call(readReport, { params: { id: made.id }, as });
      return body.status === "pending" || body.status === "running" ? null : body;
    });
    assert.equal(ended.status, "completed", ended.error_message ?? "");
    const url = `${downloadReport.path.replace(":id", made.id)}?format=json`;
    const file = await app.http.inject({ method: "GET", url, headers: { authorization: `Bearer ${as}` } });
    assert.equal(file.statusCode, 200, file.body);
    return JSON.parse(file.body) as unknown;
  };
  return {
    all,
    details,
    critical: await list({ severity: "critical" }),
    high: await list({ severity: "high", includeBelowThreshold: "true" }),
    type: await list({ findingType: "credential_exposure" }),
    risky: await list({ minRiskScore: 65 }),
    search: await list({ search: "guesses" }),
    name: await list({ search: "root" }),
    target: await list({ targetId: host.target.id }),
    statistics: (await app.call(findingStatistics, { query: {}, as })).body,
    exports: await Promise.all((["excel", "csv", "json", "sarif"] as const).map(files)),
    scan: (await app.call(readEnhancedScan, { ...byId(scan), as })).body,
    scans: (await app.call(listEnhancedScans, { as })).body,
    risk: (await app.call(readRiskAssessment, { query: {}, as })).body,
    assessed: (await app.call(generateRiskAssessment, { body: {}, as })).body,
    items: (await app.call(listRiskItems, { params: { factor: "exposed_secrets" }, query: {}, as })).body,
    trend: (await app.call(readRiskTrend, { query: { metric: "findings" }, as })).body,
    report: await report(),
  };
}

/** Leaves out what differs between any two hosts: ids, times, names of users, and the order of findings of one score. */
function comparable({ host: { user, sshd, safe } }: Guessed, value: unknown): unknown {
  const text = (each: string) =>
    each
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
      .replaceAll(user.username, "USER")
      .replaceAll(/\b(person|Account )\d+\b/g, "$1")
      .replaceAll(safe.name, "SAFE")
      .replaceAll(String(sshd.port), "PORT");
  const LEFT_OUT = new Set([
    "scan_config",
    "duration_seconds",
    "partialFingerprints",
    "next_cursor",
    "checkpoint",
    "proofs",
  ]);
  const visit = (each: unknown): unknown => {
    if (typeof each === "string") return text(each);
    if (Array.isArray(each))
      return each.map(visit).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each)
        .filter(([name]) => !LEFT_OUT.has(name))
        .map(([name, part]) => [name, visit(part)]),
    );
  };
  return visit(value);
}

describe("a file full of guesses, scanned by a user who may retrieve the password", needs(unixUsersAvailable()), () => {
  let app: ScannedHost["app"];
  let guessed: Guessed;
  let control: Guessed;
  before(async () => {
    app = await testApp();
    guessed = await aGuessedHost(app, PASSWORD);
    control = await aGuessedHost(app, OTHER);
  });
  after(async () => {
    await guessed.host.stop();
    await control.host.stop();
    await app.close();
  });

  for (const [index, who] of ["list", "use"].entries()) {
    test(`a member who may only ${who} the account sees the same as on a host without the password`, async () => {
      const [found, expected] = [
        await viewOf(guessed, guessed.members[index]!),
        await viewOf(control, control.members[index]!),
      ];
      assert.ok((found["all"] as { total: number }).total >= 40);
      for (const part of Object.keys(found)) {
        assert.deepEqual(comparable(guessed, found[part]), comparable(control, expected[part]), part);
      }
    });
  }

  test("the user who may retrieve it sees the matches with their account, and no finding twice", async () => {
    const as = guessed.host.owner.token;
    const found = (await app.call(listFindings, { query: { limit: "200", includeBelowThreshold: "true" }, as })).body;
    const matches = found.data.filter(({ class: kind }) => kind === "known_secret");
    assert.equal(new Set(matches.map(({ finding_data }) => finding_data.file_path)).size, Object.keys(FILES).length);
    assert.equal(matches.length, Object.keys(FILES).length);
    assert.ok(matches.every(({ account_id, severity }) => account_id !== null && severity === "critical"));
    const seen = found.data.map(({ finding_data: { file_path, line_number } }) => `${file_path}:${line_number}`);
    assert.equal(new Set(seen).size, seen.length);
    assert.equal(found.total, found.data.length);
    const { body: scan } = await app.call(readEnhancedScan, { ...byId(guessed.scan), as });
    assert.equal(scan.results.findings_discovered, found.total);
    const { body: statistics } = await app.call(findingStatistics, { query: {}, as });
    assert.equal(statistics.by_severity.critical, found.data.filter(({ severity }) => severity === "critical").length);
  });
});
