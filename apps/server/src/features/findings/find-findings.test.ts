// Tests searching and filtering findings over HTTP. Their rows are inserted, because a scan of thousands takes long.
import { assignFinding, exportFindings, listFindings } from "@strongroom/contract";
import type { DiscoveryTarget, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aDiscoveryWorld, byId } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { aPerson } from "#testing/people.ts";

/** More than the number of matches from which a text counts as common. */
const MANY = 2_500;

describe("searching and filtering findings", () => {
  let world: DiscoveryWorld;
  let as: string;
  let web: DiscoveryTarget;
  let db: DiscoveryTarget;
  before(async () => {
    world = await aDiscoveryWorld();
    as = world.owner.token;
    const credential = await world.anyCredential();
    const at = (host: string) => world.linuxTarget(credential, { host, port: 22 }, { name: host });
    web = await world.aTarget(at("web-01.example.com"));
    db = await world.aTarget(at("db-01.example.com"));
    await insert(web, "/srv/shop/", MANY, "password", "shop");
    await insert(db, "/etc/backup-100%/", 3, "ARCHIVE_KEY", null);
  });
  after(() => world.app.close());

  async function insert(target: DiscoveryTarget, folder: string, count: number, key: string, user: string | null) {
    await world.app.database.pool.query(
      `insert into findings (id, target_id, identity, path, fingerprint, finding_type, class, detector, reason, confidence,
         status, risk_score, risk_factors, is_below_threshold, line, key_name, username, preview, context, file_owner,
         file_group, file_mode, file_modified_at, first_scan_id, last_scan_id, created_at, last_seen_at)
       select gen_random_uuid(), $1, $2 || n, $2 || n || '.conf', md5($2 || n), 'hardcoded_password', 'password', 'assignment',
         'A password.', 0.9, 'new', n % 101, '[]', n % 101 < 20, 3, $4, $5, '••••', '[]', 'root', 'root', '644', now(),
         gen_random_uuid(), gen_random_uuid(), now(), now()
       from generate_series(1, $3::integer) n`,
      [target.id, folder, count, key, user],
    );
  }

  type Query = NonNullable<InputOf<typeof listFindings>["query"]>;
  async function find(query: Query, who = as) {
    const reply = await world.app.call(listFindings, { query: { includeBelowThreshold: "true", ...query }, as: who });
    assert.equal(reply.status, 200, reply.text);
    const { data, total } = reply.body;
    return { total, paths: data.map(({ finding_data }) => finding_data.file_path).toSorted(), data };
  }
  const BACKUPS = [1, 2, 3].map((number) => `/etc/backup-100%/${number}.conf`);

  test("names in mixed case are found by each of their words, and by all of them", async () => {
    await insert(db, "/opt/mixed/", 1, "spring.dbPassword", "Ümit");
    for (const search of ["password mixed", "dbpass mixed", "spring db mixed", "üm"]) {
      assert.deepEqual((await find({ search })).paths, ["/opt/mixed/1.conf"], search);
    }
    await world.app.database.pool.query("delete from findings where path like '/opt/mixed/%'");
  });

  test("a rare text is found in paths, settings and user names, whatever its case", async () => {
    for (const search of ["back", "archive_KEY", "arch", "backup 100", "/etc/BACKUP-100%", "conf backup"]) {
      assert.deepEqual((await find({ search })).paths, BACKUPS, search);
    }
    assert.deepEqual((await find({ search: "/srv/shop/2499.conf" })).paths, ["/srv/shop/2499.conf"]);
    for (const search of ["no such text", "%%", "ackup", "'none':* | shop", "back\\"]) {
      const { total, paths } = await find({ search });
      assert.deepEqual([total, paths], search === "back\\" ? [3, BACKUPS] : [0, []], search);
    }
  });

  test("a common text is listed by risk, a page at a time", async () => {
    const first = await find({ search: "shop", limit: "3" });
    assert.deepEqual([first.total, first.data.map(({ risk_score }) => risk_score)], [MANY, [100, 100, 100]]);
    const second = await find({ search: "shop", limit: "3", offset: "3" });
    assert.ok(second.data.every(({ id }) => first.data.every((other) => other.id !== id)));
    assert.ok((await find({ search: "shop", maxRiskScore: "40" })).data.every(({ risk_score }) => risk_score <= 40));
  });

  test("the name and the host of a target find its findings", async () => {
    assert.deepEqual((await find({ search: "DB-01" })).paths, BACKUPS);
    assert.equal((await find({ search: "web-01.example" })).total, MANY);
    assert.equal((await find({ search: "example.com" })).total, MANY + 3);
    assert.deepEqual((await find({ search: "db-01", targetId: web.id })).paths, []);
  });

  test("filters findings by assignee", async () => {
    const [one, two] = (await find({ targetId: db.id })).data;
    for (const finding of [one!, two!]) {
      const body = { assigneeId: world.owner.id as never };
      assert.equal((await world.app.call(assignFinding, { ...byId(finding), body, as })).status, 200);
    }
    const assigneeId = world.owner.id as never;
    const own = await find({ assigneeId });
    assert.deepEqual([own.total, own.data.map(({ id }) => id).toSorted()], [2, [one!.id, two!.id].toSorted()]);
    assert.equal((await find({ assigneeId, search: one!.finding_data.file_path })).total, 1);
    assert.equal((await find({ assigneeId, search: "shop" })).total, 0);
  });

  test("an export contains exactly the listed findings, and its audit entry omits the search text", async () => {
    const filters = { search: "backup", minRiskScore: 2, includeBelowThreshold: true };
    const body: InputOf<typeof exportFindings>["body"] = { format: "json", filters };
    const reply = await world.app.call(exportFindings, { body, as });
    const listed = await find({ search: "backup", minRiskScore: "2" });
    assert.deepEqual(listed.paths, BACKUPS.slice(1));
    assert.equal(JSON.parse(reply.text).findings.length, listed.total, reply.text);
    const { rows } = await world.app.database.pool.query(
      "select convert_from(canonical, 'UTF8') as entry from audit_entries where event = 'finding.exported'",
    );
    assert.equal(rows.length, 1);
    assert.ok(!rows[0].entry.includes("backup"));
  });

  test("users find nothing of targets that they cannot see, and a single letter is refused", async () => {
    const stranger = await aPerson(world.app, "manager");
    assert.deepEqual((await find({ search: "db-01" }, stranger.token)).paths, []);
    assert.deepEqual((await find({ search: "backup" }, stranger.token)).paths, []);
    assert.equal((await world.app.call(listFindings, { query: { search: "b" }, as })).status, 400);
  });
});
