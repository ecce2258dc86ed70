// Tests AWS access keys against a fake that checks signatures. The comment at the top of the fake says what these tests
// do not prove.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import { assertChange } from "../../testing/capabilities.ts";
import { opensslAvailable } from "../../testing/certificates.ts";
import { aContext, aFileSearch, aTarget } from "../../testing/factories.ts";
import { withoutLeak } from "../../testing/leak-watch.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startFakeAws, type FakeAws } from "../../testing/targets/fake-aws.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { IssueResult, Target } from "../connector.ts";
import type { FileSearch } from "../file-search.ts";
import { awsIam } from "./aws-iam.ts";

const at = ({ host, port, ca }: Pick<FakeAws, "host" | "port" | "ca">, username: string | null, more: object = {}) => ({
  type: "application",
  username,
  additionalParams: { protocol: "aws-iam", endpoint: `https://${host}:${port}`, ca, ...more },
});
const aName = () => `user-${randomBytes(4).toString("hex")}`;
const keyOf = (text: string) => JSON.parse(text) as { access_key_id: string; secret_access_key: string };
const withSecret = (text: string, secret: string) => JSON.stringify({ ...keyOf(text), secret_access_key: secret });

const EVERYTHING = aFileSearch({ roots: ["s3://"] });

async function rows(): Promise<Rows> {
  const aws = await startFakeAws();
  const [name, inactive, admin] = [aName(), aName(), aName()];
  const { secret } = aws.addUser(name);
  const off = aws.addUser(inactive);
  aws.deactivate(off.keyId);
  aws.addUser(admin);
  aws.administrators.add(admin);
  const otherSecret = randomBytes(30).toString("base64");
  return {
    good: { target: at(aws, name), secret, expect: VERIFIED },
    wrong: { target: at(aws, name), secret: withSecret(secret, otherSecret), expect: WRONG_PASSWORD },
    locked: {
      target: at(aws, inactive),
      secret: off.secret,
      expect: WRONG_PASSWORD,
      note: "AWS answers the same for an inactive key and a deleted one",
    },
    expired: {
      target: at(aws, inactive),
      secret: off.secret,
      expect: WRONG_PASSWORD,
      note: "access keys do not expire",
    },
    encryption: [
      {
        name: "unknown issuer",
        target: at(aws, name, { ca: undefined }),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "unknown-issuer" },
      },
      {
        name: "other name",
        target: at(aws, name, { servername: "aws.example" }),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "name-mismatch" },
      },
      ...["http://127.0.0.1", "ftp://x", "https://a:b@c", 7].map((endpoint) => ({
        name: `an endpoint that is not https: ${endpoint}`,
        target: at(aws, name, { endpoint }),
        secret,
        expect: { outcome: "misconfigured", code: "bad-input" } as const,
      })),
    ],
    elsewhere: (host, port) => at({ host, port, ca: aws.ca }, name),
    lists: {
      target: at(aws, name),
      secret,
      elsewhere: (host, port) => at({ host, port, ca: aws.ca }, name),
      expect: [
        { name, isPrivileged: false, isLocked: false },
        { name: admin, isPrivileged: true },
      ],
    },
    stop: () => aws.stop(),
  };
}

connectorSuite({ connector: awsIam, needs: needs(opensslAvailable()), start: rows });

describe("AWS IAM: two concurrent keys", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let aws: FakeAws;
  before(async () => {
    aws = await startFakeAws();
  });
  after(() => aws?.stop());
  const aUser = () => {
    const name = aName();
    return { name, ...aws.addUser(name), target: at(aws, name) as Partial<Target> };
  };
  const issue = (target: Partial<Target>, secret: string): Promise<IssueResult> =>
    withoutLeak([keyOf(secret).secret_access_key], () =>
      awsIam.issue!(aTarget(target), Secret.fromText(secret), aContext({ timeoutMs: 5_000 })),
    );
  const retire = (target: Partial<Target>, current: string, retired: string) =>
    withoutLeak([keyOf(current).secret_access_key, keyOf(retired).secret_access_key], () =>
      awsIam.retire!(aTarget(target), Secret.fromText(current), Secret.fromText(retired), aContext()),
    );

  test("issues a second key while the first still works, and retires the first, even when repeated", async () => {
    const { name, secret, keyId, target } = aUser();
    const issued = await issue(target, secret);
    assert.equal(issued.outcome, "issued", issued.message);
    const made = issued.outcome === "issued" ? issued.secret.reveal() : "";
    assert.ok(!JSON.stringify(issued).includes(keyOf(made).secret_access_key));
    for (const each of [secret, made]) assertResult(await tryOut(awsIam, { target, secret: each }), VERIFIED);
    assert.notEqual((await retire(target, made, made)).outcome, "changed", "the key in use is never retired");
    assertChange(await retire(target, made, secret), { outcome: "changed" });
    assertChange(await retire(target, made, secret), { outcome: "changed" });
    assertResult(await tryOut(awsIam, { target, secret }), WRONG_PASSWORD);
    assertResult(await tryOut(awsIam, { target, secret: made }), VERIFIED);
    assert.deepEqual(
      aws.keysOf(name).map(({ id }) => id === keyId),
      [false],
    );
  });

  test("lists the root account, the age and last use of access keys, MFA, and roles that users may assume", async () => {
    const { name, secret, target } = aUser();
    aws.roles.set("deployer", name);
    const result = await awsIam.listAccounts!(aTarget(target), Secret.fromText(secret), aContext({ timeoutMs: 5_000 }));
    assert.ok(result.outcome === "listed", result.message);
    const root = result.accounts.find((account) => account.name === "root account");
    assert.deepEqual(root?.facts["hasMfa"], true);
    const user = result.accounts.find((account) => account.name === name);
    assert.deepEqual(user?.facts["accessKeys"], [
      { isActive: true, rotatedAt: "2024-02-03T04:05:06.000Z", lastUsedAt: "2026-10-01T00:00:00.000Z" },
    ]);
    assert.deepEqual(
      user.privileges?.map(({ kind, detail }) => [kind, ...detail]),
      [["impersonation", "deployer"]],
    );
    assert.deepEqual(result.collected?.system["roles"], [
      { name: "deployer", users: [name], others: ["ec2.amazonaws.com"] },
    ]);
    aws.answerOnce("GetCredentialReport", { code: "AccessDenied", status: 403 });
    const without = await awsIam.listAccounts!(
      aTarget(target),
      Secret.fromText(secret),
      aContext({ timeoutMs: 5_000 }),
    );
    assert.ok(without.outcome === "listed", without.message);
    assert.deepEqual(
      without.commands?.filter(({ success }) => !success).map(({ command }) => command),
      ["iam:GetCredentialReport"],
    );
  });

  test("DISC-15: lists users, access keys, roles, and the names of secrets and parameters by region", async () => {
    const { name, secret, target } = aUser();
    aws.roles.set("auditor", name);
    aws.secrets.set("eu-central-1", ["prod/database", "prod/mail"]);
    aws.parameters.set("eu-central-1", [
      { name: "/app/url", isEncrypted: false },
      { name: "/app/token", isEncrypted: true },
    ]);
    aws.secrets.set("us-east-1", ["elsewhere"]);
    const regions = ["eu-central-1", "eu-west-1"];
    const context = aContext({ timeoutMs: 10_000, regions });
    const result = await awsIam.listAccounts!(aTarget(target), Secret.fromText(secret), context);
    assert.ok(result.outcome === "listed", result.message);
    const { cloud } = result.collected!;
    assert.equal(cloud?.account, "123456789012");
    const found = cloud.resources.map(({ kind, region, name }) => `${kind} ${region} ${name}`);
    for (const each of [
      `iam_user global ${name}`,
      `access_key global ${name}, key 1`,
      "access_key global root account, key 1",
      "iam_role global auditor",
      "secret eu-central-1 prod/database",
      "secret eu-central-1 prod/mail",
      "parameter eu-central-1 /app/token",
    ])
      assert.ok(found.includes(each), each);
    assert.ok(!found.some((each) => each.includes("elsewhere")), "other regions are not asked");
    const token = cloud.resources.find((each) => each.name === "/app/token");
    assert.deepEqual(token?.facts, { isEncrypted: true, changedAt: "2025-10-09T08:53:20.000Z" });
    assert.deepEqual(
      cloud.complete.filter(({ kind }) => kind === "secret"),
      regions.map((region) => ({ kind: "secret", region })),
    );
    aws.answerOnce("AmazonSSM.DescribeParameters", { code: "AccessDeniedException", status: 400 });
    const without = await awsIam.listAccounts!(aTarget(target), Secret.fromText(secret), context);
    assert.ok(without.outcome === "listed", without.message);
    assert.deepEqual(
      without.commands?.filter(({ success }) => !success).map(({ command }) => command),
      ["ssm:DescribeParameters in eu-central-1"],
    );
  });

  test("refuses to issue a third key and names the other key", async () => {
    const { name, secret, target } = aUser();
    const other = aws.addKey(name);
    const result = await issue(target, secret);
    assert.deepEqual([result.outcome, "code" in result && result.code], ["refused", "limit-reached"]);
    assert.match(result.message, new RegExp(other));
    assert.equal(aws.keysOf(name).length, 2);
  });

  test("reports an AWS error as refused, and an unclear answer as unknown", async () => {
    const { name, secret, target } = aUser();
    aws.answerOnce("CreateAccessKey", { code: "LimitExceeded", status: 409 });
    assertIssue(await issue(target, secret), "refused", "limit-reached");
    aws.answerOnce("CreateAccessKey", { code: "AccessDenied", status: 403 });
    assertIssue(await issue(target, secret), "refused", "no-permission");
    aws.answerOnce("ListAccessKeys", { code: "AccessDenied", status: 403 });
    assertIssue(await issue(target, secret), "unsent", undefined);
    assert.equal(aws.keysOf(name).length, 1);
    aws.answerOnce("CreateAccessKey", { code: "ServiceFailure", status: 500 });
    assertIssue(await issue(target, secret), "unknown", undefined);
    aws.answerOnce("CreateAccessKey", null);
    assertIssue(await issue(target, secret), "unknown", undefined);
  });

  test("keeps a new key that does not work immediately, and waits until it does", async () => {
    const { secret, target } = aUser();
    aws.answerOnce("GetCallerIdentity", { code: "InvalidClientTokenId", status: 403 });
    const result = await issue(target, secret);
    assert.deepEqual("facts" in result && result.facts?.["isUsable"], true, result.message);
  });

  test("retires a key that can be deactivated but not deleted, and says in the message that the key was not deleted", async () => {
    const { name, secret, keyId, target } = aUser();
    const issued = await issue(target, secret);
    const made = issued.outcome === "issued" ? issued.secret.reveal() : "";
    aws.answerOnce("DeleteAccessKey", { code: "AccessDenied", status: 403 });
    const result = await retire(target, made, secret);
    assertChange(result, { outcome: "changed" });
    assert.match(result.message, /deactivated .* but did not delete/);
    assert.equal(aws.keysOf(name).find(({ id }) => id === keyId)?.isActive, false);
  });

  test("a wrong key issues nothing, and a key of another user is reported", async () => {
    const { name, secret, target } = aUser();
    const bad = withSecret(secret, randomBytes(30).toString("base64"));
    assertIssue(await issue(target, bad), "unsent", undefined);
    assert.equal(aws.keysOf(name).length, 1);
    const others = await tryOut(awsIam, { target: at(aws, "somebody-else"), secret });
    assertResult(others, { outcome: "misconfigured", code: "name-mismatch" });
  });

  test("sends nothing for a secret that is not an access key", async () => {
    const before = aws.requests().length;
    for (const secret of ["a-password-of-mine", '{"access_key_id":"AKIAIOSFODNN7EXAMPLE"}', '["access_key_id"]'])
      assertResult(await tryOut(awsIam, { target: at(aws, null), secret }), {
        outcome: "misconfigured",
        code: "bad-input",
      });
    assert.equal(aws.requests().length, before);
  });
});

function assertIssue(result: IssueResult, outcome: string, code: string | undefined): void {
  assert.deepEqual([result.outcome, "code" in result ? result.code : undefined], [outcome, code], result.message);
}

describe("AWS S3: reading buckets", needs(opensslAvailable()), () => {
  let aws: FakeAws;
  let secret: string;
  before(async () => {
    aws = await startFakeAws();
    secret = aws.addUser("scanner").secret;
  });
  after(() => aws?.stop());

  async function read(search: Partial<FileSearch> = {}, params: object = {}) {
    const contents = new Map<string, string>();
    const result = await withoutLeak([keyOf(secret).secret_access_key], () =>
      awsIam.readFiles!(
        aTarget(at(aws, "scanner", params) as Partial<Target>),
        Secret.fromText(secret),
        { ...EVERYTHING, ...search },
        {
          choose: async (files) => files,
          read: async ({ path, content }) => void contents.set(path, content.toString()),
        },
        aContext({ timeoutMs: 5_000 }),
      ),
    );
    assert.ok(result.outcome === "read", result.message);
    return { ...result, contents };
  }

  test("reads the requested objects of all buckets over several pages, with names that need encoding", async () => {
    aws.addBucket("app-config", { "a/.env": "A=1", "b & c/ü+(1)*'!.env": "B=2", "c/.env": "C=3", "d/app.log": "no" });
    aws.addBucket("builds", { "x.env": "X=1", "big.env": "x".repeat(2_000), "skipped/y.env": "Y=1" });
    const { contents, limit, unreadCount } = await read({
      names: ["*.env"],
      excludes: ["*/skipped/*"],
      maxFileSize: 1_000,
    });
    assert.deepEqual(Object.fromEntries(contents), {
      "s3://app-config/a/.env": "A=1",
      "s3://app-config/b & c/ü+(1)*'!.env": "B=2",
      "s3://app-config/c/.env": "C=3",
      "s3://builds/x.env": "X=1",
    });
    assert.deepEqual([limit, unreadCount], [null, 0]);
  });

  test("names refused, archived and deleted objects, and marks objects of public buckets", async () => {
    aws.addBucket("app-config", { "a/.env": "A=1", "secret/.env": "B=2" }).isPublic = true;
    aws.addBucket("closed", { ".env": "no" });
    const builds = aws.addBucket("builds", {});
    builds.objects.set("old.env", { content: "no", storageClass: "DEEP_ARCHIVE" });
    aws.buckets.denied.add("closed").add("app-config/secret/.env");
    const known = ["s3://builds/deleted.env", "s3://closed/.env", "s3://app-config/a/.env", "s3://builds/old.env"];
    const { contents, unread, gone } = await read({ known });
    aws.buckets.denied.clear();
    assert.deepEqual([...contents], [["s3://app-config/a/.env", "A=1"]]);
    assert.deepEqual(unread.toSorted(), ["s3://app-config/secret/.env", "s3://builds/old.env", "s3://closed"]);
    assert.deepEqual(gone, ["s3://builds/deleted.env"], "only S3's word counts");
  });

  test("a key that may not list buckets reads the buckets that its entry names, and single objects again", async () => {
    aws.addBucket("app-config", { "a/.env": "A=1", "a/.env.old": "A=0" });
    aws.buckets.denied.add("ListBuckets");
    const refused = await awsIam.readFiles!(
      aTarget(at(aws, "scanner")),
      Secret.fromText(secret),
      EVERYTHING,
      { choose: async (files) => files, read: async () => {} },
      aContext({ timeoutMs: 5_000 }),
    );
    assert.deepEqual([refused.outcome, "code" in refused && refused.code], ["misconfigured", "no-permission"]);
    const named = await read({}, { buckets: "app-config, missing" });
    assert.deepEqual([...named.contents.keys()].toSorted(), ["s3://app-config/a/.env", "s3://app-config/a/.env.old"]);
    assert.deepEqual(named.unread, ["s3://missing"]);
    const again = await read({ roots: ["s3://app-config/a/.env", "s3://app-config/gone"] });
    aws.buckets.denied.clear();
    assert.deepEqual([...again.contents], [["s3://app-config/a/.env", "A=1"]]);
  });

  test("reports the limit at which it stopped", async () => {
    aws.addBucket("many", { "1.env": "1".repeat(60), "2.env": "2".repeat(60), "3.env": "3".repeat(60) });
    assert.equal((await read({ maxFiles: 2 })).limit, "files");
    const { limit, contents } = await read({ maxTotalBytes: 100, names: ["?.env"] });
    assert.deepEqual([limit, contents.size], ["bytes", 1]);
  });

  test("a deleted key is a rejected login", async () => {
    const gone = aws.addUser(aName());
    aws.deactivate(gone.keyId);
    const result = await awsIam.readFiles!(
      aTarget(at(aws, null)),
      Secret.fromText(gone.secret),
      EVERYTHING,
      { choose: async (files) => files, read: async () => {} },
      aContext({ timeoutMs: 5_000 }),
    );
    assert.deepEqual([result.outcome, "code" in result && result.code], ["rejected", "wrong-password"]);
  });
});
