// Tests that exports of findings with hostile names are valid and harmless.
import type { InputOf, exportFindings } from "@strongroom/contract";
import { readXlsx } from "hucre/xlsx";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aDiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";

/** Places of findings as they are stored, with the URI that stands for each. */
const PLACES: readonly [path: string, uri: string][] = [
  ["/etc/a b#c?d%41.env", "ssh://[fd00::7]/etc/a%20b%23c%3Fd%2541.env"],
  ["//evil.example/x", "ssh://[fd00::7]/evil.example/x"],
  ["/srv/[Fix it](https://evil.example)/a.env", "ssh://[fd00::7]/srv/%5BFix%20it%5D(https%3A//evil.example)/a.env"],
  ["/srv/\u202Egnp.env", "ssh://[fd00::7]/srv/%E2%80%AEgnp.env"],
  ["/srv/\u009B2J\n.env", "ssh://[fd00::7]/srv/%C2%9B2J%0A.env"],
  ["=cmd|' /C calc'!A0", "ssh://[fd00::7]/%3Dcmd%7C'%20/C%20calc'!A0"],
  ["column:shop.public.s.value", "column://[fd00::7]/shop.public.s.value"],
  ["process:arguments:ada:backup:daily", "process://[fd00::7]/arguments/ada/backup%3Adaily"],
  ["account:ada", "account://[fd00::7]/ada"],
  ["s3://backups/db/dump#1.sql", "s3://backups/db/dump%231.sql"],
  ["git:team/app.git:config/a:b.env", "git://[fd00::7]/team/app.git/config/a%3Ab.env"],
];

let world: DiscoveryWorld;
before(async () => {
  world = await aDiscoveryWorld();
  const host = { host: "fd00::7", port: 22 };
  const { id } = await world.aTarget(world.linuxTarget(await world.anyCredential(), host));
  const paths = PLACES.map(([path]) => path);
  await world.app.database.pool.query(
    `insert into findings (id, target_id, identity, path, fingerprint, finding_type, class, detector, reason, confidence,
       status, risk_score, risk_factors, is_below_threshold, line, preview, context, file_owner, file_group, file_mode,
       file_modified_at, first_scan_id, last_scan_id, created_at, last_seen_at)
     select gen_random_uuid(), $1, path, path, md5(path), 'hardcoded_password', 'password', 'assignment', 'A password.', 0.9,
       'new', 90, '[]', false, 0, '••••', '[]', 'root', 'root', '644', now(), gen_random_uuid(), gen_random_uuid(), now(), now()
     from unnest($2::text[]) path`,
    [id, paths],
  );
});
after(() => world.app.close());

async function exported(format: NonNullable<InputOf<typeof exportFindings>["body"]>["format"]): Promise<Buffer> {
  const url = "/api/v1/discovery/enhanced/findings/export";
  const headers = { authorization: `Bearer ${world.owner.token}` };
  const reply = await world.app.http.inject({ method: "POST", url, headers, payload: { format, filters: {} } });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.rawPayload;
}

test("SARIF has a valid URI and line for every kind of place, and messages without links or hidden characters", async () => {
  const log = JSON.parse((await exported("sarif")).toString());
  const results = log.runs[0].results as {
    message: { text: string };
    locations: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[];
  }[];
  const uris = results.map(({ locations }) => locations[0]!.physicalLocation.artifactLocation.uri);
  assert.deepEqual(uris.sort(), PLACES.map(([, uri]) => uri).sort());
  for (const uri of uris) {
    assert.match(uri, /^[a-z\d]+:\/\/(?:\[[\da-f:]+\]|[\w.-]+)\/(?:[\w.~!$&'()*+,;=:@/-]|%[\dA-F]{2})*$/);
  }
  for (const { message, locations } of results) {
    assert.equal(locations[0]!.physicalLocation.region.startLine, 1);
    assert.doesNotMatch(message.text, /(?<!\\)[[\]]|[\p{Cc}\p{Cf}]/u);
  }
});

test("spreadsheets and CSV keep hostile names as text", async () => {
  const { sheets } = await readXlsx(await exported("excel"));
  const [head, ...rows] = sheets[0]!.rows;
  const file = head!.indexOf("File");
  const names = rows.map((row) => String(row[file]));
  assert.ok(names.includes("'=cmd|' /C calc'!A0"), names.join("\n"));
  assert.ok(names.includes("/srv/[Fix it](https://evil.example)/a.env"));
  const csv = (await exported("csv")).toString();
  assert.ok(csv.includes(`"'=cmd|' /C calc'!A0"`));
  assert.equal(csv.split("\r\n").length, PLACES.length + 2);
});
