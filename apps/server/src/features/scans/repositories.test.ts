// Tests of enhanced scans of Git repositories over HTTP, on a real Git server.
import {
  createDiscoveryTarget,
  readFinding,
  startDiscoveryScan,
  vaultFindings,
  verifyFinding,
} from "@strongroom/contract";
import type { DiscoveryTarget, SecurityFinding } from "@strongroom/contract";
import {
  gitAvailable,
  makeAuthority,
  needs,
  opensslAvailable,
  postgresqlAvailable,
  startGitServer,
  startPostgresql,
} from "@strongroom/connectors/testing";
import type { Authority, GitServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { aDiscoveryWorld, byId } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { anAccount } from "#testing/accounts.ts";
import { columnsWith } from "#testing/columns.ts";
import { aPassword } from "./testing/scanned-host.ts";
import { findingsOf, placesOf, scanned } from "./testing/scanned-target.ts";

describe("enhanced scans of Git repositories", needs(gitAvailable(), opensslAvailable()), () => {
  let world: DiscoveryWorld;
  let server: GitServer;
  let authority: Authority;
  before(async () => {
    authority = await makeAuthority();
    [world, server] = await Promise.all([aDiscoveryWorld(), startGitServer(await authority.issue(["127.0.0.1"]))]);
  });
  after(async () => {
    await Promise.all([world?.app.close(), server?.stop()]);
  });

  async function aRepository() {
    const { app, owner, safe, linuxTarget, aTarget } = world;
    const path = `team/${randomBytes(4).toString("hex")}.git`;
    const repository = server.addRepository(path);
    const account = await anAccount(app, owner, safe, {
      system_type: "Application",
      connection_method: "HTTPS",
      hostname: server.host,
      port: server.port,
      ...server.login,
      additional_params: { protocol: "git", repositories: path, ca: authority.certificate },
    });
    const body = {
      ...linuxTarget(account, server),
      targetType: "git" as const,
      connectionMethod: "https" as const,
    };
    return { ...repository, path, body, target: await aTarget(body) };
  }
  const detailsOf = async (finding: SecurityFinding) =>
    (await world.app.call(readFinding, { ...byId(finding), as: world.owner.token })).body;

  test("a commit in the year 10000 does not stop the scan", async () => {
    const { commit, git, target } = await aRepository();
    commit({ ".env": `DB_PASSWORD=${aPassword()}\n` });
    commit({ ".env": "", "other.env": `DB_PASSWORD=${aPassword()}\n` });
    git("commit", "--quiet", "--amend", "--no-edit", "--date=@253402300800 +0000");
    git("rebase", "--quiet", "--force-rebase", "--committer-date-is-author-date", "HEAD~1");
    assert.equal(git("log", "-1", "--format=%ct"), "253402300800");
    const scan = await scanned(world, target, { scanDepth: "standard" });
    assert.equal(scan.status, "completed", scan.error_message ?? "");
    assert.equal((await findingsOf(world, target)).length, 2);
  });

  test("SCAN-29: a secret that was removed stays a finding until the history no longer contains it", async () => {
    const { path, commit, git, target } = await aRepository();
    const [present, removed] = [aPassword(), aPassword()];
    commit({ ".env": `DB_PASSWORD=${present}\n` }, "first");
    const secretCommit = commit({ "cfg/mail.ini": `[smtp]\npassword = ${removed}\n` }, "mail");
    commit({ "cfg/mail.ini": "[smtp]\nhost = mail\n" }, "no password");
    const first = await scanned(world, target, { scanDepth: "standard" });
    assert.equal(first.status, "completed", first.error_message ?? "");
    assert.equal(first.coverage.files_read, 2);
    const found = await findingsOf(world, target);
    assert.deepEqual(placesOf(found), [`git:${path}:.env`, `git:${path}:cfg/mail.ini`]);
    const ofHistory = found.find(({ finding_data }) => finding_data.file_path.endsWith("mail.ini"))!;
    const ofPresent = found.find(({ finding_data }) => finding_data.file_path.endsWith(".env"))!;
    assert.match(ofHistory.title, new RegExp(`Password in cfg/mail\\.ini in ${path}`));
    assert.match(ofHistory.description, new RegExp(`commit ${secretCommit.slice(0, 12)} of .* by Jane Doe`));
    assert.doesNotMatch(ofPresent.description, /commit/);
    const details = await detailsOf(ofHistory);
    assert.match(details.remediation_steps.join(" "), /rotate the password .* every clone .* filter-repo/is);
    for (const secret of [present, removed]) assert.deepEqual(await columnsWith(world.app.database.pool, secret), []);

    // A quick scan does not read the history, so it closes nothing.
    commit({ ".env": "DB_PASSWORD=\n" }, "no password either");
    const quick = await scanned(world, target);
    assert.deepEqual([quick.status, quick.results.fixed_findings], ["completed", 0]);
    const again = await scanned(world, target, { scanDepth: "standard" });
    assert.equal(again.results.fixed_findings, 0);
    assert.match((await detailsOf(ofPresent)).description, /present file of the default branch does not contain it/);

    const unchanged = await scanned(world, target, { scanDepth: "standard" });
    assert.deepEqual([unchanged.coverage.files_read, unchanged.coverage.files_unchanged], [0, 2]);

    git("checkout", "--quiet", "--orphan", "clean");
    git("commit", "--quiet", "--message", "clean history");
    git("branch", "--quiet", "--force", "main");
    git("checkout", "--quiet", "main");
    git("branch", "--quiet", "-D", "clean");
    const rewritten = await scanned(world, target, { scanDepth: "standard" });
    assert.equal(rewritten.results.fixed_findings, 2);
    assert.equal((await findingsOf(world, target, "remediated")).length, 2);
  });

  test(
    "FIND-13: a secret of the history is verified on the database that it opens, and stored",
    needs(postgresqlAvailable()),
    async (t) => {
      const database = await startPostgresql();
      t.after(() => database.stop());
      const { commit, target } = await aRepository();
      const { username, password } = database.superuser;
      const lines = [`DB_HOST=${database.host}`, `DB_PORT=${database.port}`, `DB_USER=${username}`];
      commit({ "app.env": [...lines, `DB_PASSWORD=${password}`].join("\n") }, "first");
      commit({ "app.env": lines.join("\n") }, "no password");
      await scanned(world, target, { scanDepth: "standard" });
      const [finding] = await findingsOf(world, target);
      const { app, owner } = world;
      const verified = await app.call(verifyFinding, {
        ...byId(finding!),
        body: { login: { systemType: "postgresql", hostname: "127.0.0.1" } },
        as: owner.token,
      });
      assert.equal(verified.body.liveness, "live", verified.text);
      const login = { systemType: "postgresql" as const, hostname: "127.0.0.1" };
      const vaulted = await app.call(vaultFindings, { body: { findingIds: [finding!.id], login }, as: owner.token });
      assert.equal(vaulted.body.vaulted, 1, vaulted.text);
    },
  );

  test("a repository that is refused is reported, and its findings stay open", async () => {
    const { path, commit, target } = await aRepository();
    commit({ ".env": `DB_PASSWORD=${aPassword()}\n` });
    await scanned(world, target, { scanDepth: "standard" });
    server.answers.set(path, 403);
    const refused = await scanned(world, target, { scanDepth: "standard" });
    server.answers.delete(path);
    assert.deepEqual([refused.status, refused.results.fixed_findings], ["failed", 0]);
    assert.match(refused.error_message ?? "", /does not let it read/);
    assert.equal((await findingsOf(world, target)).length, 1);
  });

  test("a target of repositories has no accounts: basic scans and their schedules are refused", async () => {
    const { app, owner } = world;
    const { target, body } = await aRepository();
    const started = await app.call(startDiscoveryScan, { ...byId(target), body: {}, as: owner.token });
    assert.equal(started.status, 422);
    assert.match(started.text, /discovery\.no-accounts/);
    const schedule = { cron: "0 3 * * *", timezone: "UTC", jitterMinutes: 0, window: null };
    const scheduled = await app.call(createDiscoveryTarget, { body: { ...body, schedule }, as: owner.token });
    assert.equal(scheduled.status, 400, scheduled.text);
    const other = { ...body, targetType: "linux" as const, connectionMethod: "ssh" as const };
    const mixed = await app.call(createDiscoveryTarget, { body: other, as: owner.token });
    assert.match(mixed.text, /discovery\.credential-unsuitable/);
    const shown: DiscoveryTarget = target;
    assert.equal(shown.has_enhanced_scans, true);
  });
});
