// Tests MongoDB against a fake. The comment at the top of the fake says what these tests do not prove.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { assertChange, tryChange, type Changeable } from "../../testing/capabilities.ts";
import { makeAuthority, opensslAvailable } from "../../testing/certificates.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startFakeMongodb, type FakeMongodb } from "../../testing/targets/fake-mongodb.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { mongodb } from "./mongodb.ts";

const aSecret = () => randomBytes(12).toString("base64url");
const aName = () => `u${randomBytes(4).toString("hex")}`;

const at = (server: { host: string; port: number }, username: string, more: Partial<Target> = {}): Partial<Target> => ({
  type: "mongodb",
  host: server.host,
  port: server.port,
  username,
  ...more,
});

async function rows(): Promise<Rows> {
  const authority = await makeAuthority();
  const server = await startFakeMongodb(await authority.issue(["127.0.0.1"]));
  const tls = (more: object = {}) => ({ sslEnabled: true, additionalParams: { ca: authority.certificate, ...more } });
  const aUser = (roles?: string[]) => {
    const [username, secret] = [aName(), aSecret()];
    server.addUser(username, secret, roles);
    return { username, secret, target: at(server, username, tls()) };
  };
  const account = async (roles?: string[]): Promise<Changeable> => {
    const { target, secret } = aUser(roles);
    return { target, secret, candidate: aSecret() };
  };
  const [good, admin] = [aUser(), aUser(["root"])];
  const unknown = { target: at(server, aName(), tls()), secret: aSecret(), expect: WRONG_PASSWORD };
  const failed = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
  return {
    good: { ...good, expect: VERIFIED },
    wrong: { ...good, secret: aSecret(), expect: WRONG_PASSWORD },
    locked: { ...unknown, note: "MongoDB has no locked users" },
    expired: { ...unknown, note: "MongoDB has no expiry" },
    encryption: [
      {
        name: "not checked",
        ...good,
        target: at(server, good.username, tls({ ca: undefined, sslmode: "require" })),
        expect: VERIFIED,
      },
      {
        name: "unknown issuer",
        ...good,
        target: at(server, good.username, tls({ ca: undefined })),
        expect: failed("unknown-issuer"),
      },
      {
        name: "other name",
        ...good,
        target: at(server, good.username, tls({ servername: "db.example" })),
        expect: failed("name-mismatch"),
      },
    ],
    elsewhere: (host, port) => at({ host, port }, good.username),
    changes: {
      account: () => account(),
      refusals: [
        {
          name: "without changeOwnPassword",
          change: () => account([]),
          expect: { outcome: "refused", code: "no-permission" },
        },
        {
          name: "TLS that is not checked",
          change: async () => {
            const { target, ...rest } = await account();
            return { ...rest, target: { ...target, ...tls({ sslmode: "require" }) } };
          },
          expect: { outcome: "unsent", code: "insecure-authentication" },
        },
      ],
    },
    reconciles: { account: () => account([]), able: admin, unable: aUser() },
    lists: {
      target: admin.target,
      secret: admin.secret,
      expect: [
        { name: good.username, isPrivileged: false, isLocked: false },
        { name: admin.username, isPrivileged: true },
      ],
    },
    stop: () => server.stop(),
  };
}

connectorSuite({ connector: mongodb, needs: needs(opensslAvailable()), start: rows });

describe("MongoDB: interpretation of the server's answers", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let server: FakeMongodb;
  let tls: Partial<Target>;
  before(async () => {
    const authority = await makeAuthority();
    server = await startFakeMongodb(await authority.issue(["127.0.0.1"]));
    tls = { sslEnabled: true, additionalParams: { ca: authority.certificate } };
  });
  after(() => server?.stop());
  const anAccount = (roles?: string[]): Changeable => {
    const [username, secret] = [aName(), aSecret()];
    server.addUser(username, secret, roles);
    return { target: at(server, username, tls), secret, candidate: aSecret() };
  };

  test("a server without authentication proves nothing", async (t) => {
    const open = await startFakeMongodb(null, true);
    t.after(() => open.stop());
    assertResult(await tryOut(mongodb, { target: at(open, "somebody"), secret: aSecret() }), WRONG_PASSWORD);
  });

  test("MongoDB's own driver succeeds and fails against the fake exactly as this connector does", async () => {
    const [name, secret] = [aName(), aSecret()];
    server.addUser(name, secret);
    const { MongoClient } = await import("mongodb");
    const ping = async (password: string) => {
      const client = new MongoClient(`mongodb://127.0.0.1:${server.port}/?directConnection=true`, {
        auth: { username: name, password },
        tls: true,
        ca: String(tls.additionalParams?.["ca"]),
        serverSelectionTimeoutMS: 5_000,
      });
      try {
        await client.db("admin").command({ ping: 1 });
        return "in";
      } catch (error) {
        return (error as { code?: unknown }).code;
      } finally {
        await client.close();
      }
    };
    assert.deepEqual([await ping(secret), await ping(aSecret())], ["in", 18]);
  });

  test("finds a user of another database through `auth_source` or the connection string", async () => {
    const secret = aSecret();
    const name = aName();
    server.addUser(name, secret, [], "shop");
    assertResult(await tryOut(mongodb, { target: at(server, name, tls), secret }), WRONG_PASSWORD);
    const named = { ...tls, additionalParams: { ...tls.additionalParams, auth_source: "shop" } };
    assertResult(await tryOut(mongodb, { target: at(server, name, named), secret }), VERIFIED);
    const connectionString = `mongodb://127.0.0.1:${server.port}/?authSource=shop`;
    assertResult(await tryOut(mongodb, { target: at(server, name, { ...tls, connectionString }), secret }), VERIFIED);
    for (const auth_source of ["$external", "a/b", "", 7])
      assertResult(
        await tryOut(mongodb, { target: at(server, name, { ...tls, additionalParams: { auth_source } }), secret }),
        { outcome: "misconfigured", code: "bad-input" },
      );
  });

  for (const [code, expected] of [
    [13, { outcome: "refused", code: "no-permission" }],
    [11, { outcome: "refused", code: "no-such-account" }],
    [2, { outcome: "refused", code: "password-rules" }],
    [8000, { outcome: "refused", code: "not-changeable" }],
    [10107, { outcome: "refused", code: "not-changeable" }],
    [64, { outcome: "unknown" }],
    [11600, { outcome: "unknown" }],
  ] as const) {
    test(`interprets the answer to a change: error ${code} is ${expected.outcome}`, async () => {
      const changing = anAccount();
      server.answerOnce("updateUser", { code });
      assertChange(await tryChange(mongodb, changing), expected);
    });
  }

  test("the outcome is unknown when the server disconnects after the change", async () => {
    const changing = anAccount();
    server.answerOnce("updateUser", null);
    assertChange(await tryChange(mongodb, changing), { outcome: "unknown" });
    assertResult(await tryOut(mongodb, { target: changing.target, secret: changing.candidate }), VERIFIED);
  });

  test("names and passwords are values, never commands or options", async () => {
    for (const name of ["a,b=c", 'x"}', "$where", "-admin", "a@b:c/d", "ünï"]) {
      const [secret, candidate] = [`${aSecret()}'"$=,\\ é`, `{"$ne": "${aSecret()}"}`];
      server.addUser(name, secret);
      const target = at(server, name, tls);
      assertChange(await tryChange(mongodb, { target, secret, candidate }), { outcome: "changed" });
      assertResult(await tryOut(mongodb, { target, secret: candidate }), VERIFIED);
    }
  });
});
