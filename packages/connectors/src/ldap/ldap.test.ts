// Tests LDAP against a real OpenLDAP server with the password policy overlay.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import { makeAuthority, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { withoutLeak } from "../../testing/leak-watch.ts";
import type { CapabilityRows, Changeable } from "../../testing/capabilities.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startHostile, type HostileServer } from "../../testing/targets/hostile.ts";
import {
  openldapAvailable,
  startOpenldap,
  type DirectoryUser,
  type OpenldapServer,
} from "../../testing/targets/openldap.ts";
import { clearTextOverTls, trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { ReconcileLogin, Target } from "../connector.ts";
import { escapedValue } from "./distinguished-name.ts";
import { ldap } from "./ldap.ts";
import { isStartTlsSuccess } from "./session.ts";

const PERMANENTLY = "pwdAccountLockedTime: 000001010000Z";
const NEEDS = needs(openldapAvailable(), opensslAvailable());
const newPassword = () => randomBytes(12).toString("base64url");

type Directory = Pick<OpenldapServer<"alice">, "host" | "tlsPort" | "suffix">;

/** A target over LDAPS, with the short user name. */
const at = (server: Directory, ca: string, username: string, more: Record<string, unknown> = {}): Partial<Target> => ({
  type: "password",
  host: server.host,
  port: server.tlsPort,
  username,
  additionalParams: { protocol: "ldaps", dn_template: `uid={username},ou=people,${server.suffix}`, ca, ...more },
});

async function rows(): Promise<Rows> {
  const authority = await makeAuthority();
  const server = await startOpenldap({
    certificate: await authority.issue(["127.0.0.1"]),
    users: {
      alice: [],
      locked: [PERMANENTLY],
      expired: [`pwdPolicySubentry: cn=short,ou=policies,dc=corp,dc=test`, "pwdChangedTime: 20010101000000Z"],
    },
  });
  const { alice, locked, expired } = server.users;
  const ca = authority.certificate;
  const startTls = { ...at(server, ca, "alice", { protocol: "ldap" }), port: server.port };
  return {
    good: trial(at(server, ca, "alice"), alice.password, VERIFIED),
    wrong: trial(at(server, ca, "alice"), newPassword(), WRONG_PASSWORD),
    locked: {
      ...trial(at(server, ca, "locked"), locked.password, WRONG_PASSWORD),
      note: "a server distinguishes a locked account from a wrong password only if configured to",
    },
    expired: trial(at(server, ca, "expired"), expired.password, { outcome: "rejected", code: "password-expired" }),
    encryption: [
      ...clearTextOverTls((more) => at(server, ca, "alice", more), alice.password),
      { name: "StartTLS", ...trial(startTls, alice.password, VERIFIED) },
      {
        name: "LDAPS on the port for StartTLS",
        ...trial({ ...at(server, ca, "alice"), port: server.port }, alice.password, {
          outcome: "unreachable",
          code: "connection-lost",
        }),
      },
    ],
    elsewhere: (host, port) => ({ ...at(server, ca, "alice"), host, port }),
    ...capabilities(server, ca, locked),
    stop: () => server.stop(),
  };
}

function capabilities(server: OpenldapServer<"alice">, ca: string, locked: DirectoryUser): CapabilityRows {
  const account = async (more: readonly string[] = []): Promise<Changeable> => {
    const { username, password } = await server.addUser(more);
    return { target: at(server, ca, username), secret: password, candidate: newPassword() };
  };
  const unable = server.users.alice;
  return {
    changes: {
      account,
      refusals: [
        {
          name: "too short",
          change: async () => ({ ...(await account()), candidate: "short" }),
          expect: { outcome: "refused", code: "password-rules" },
        },
        {
          name: "used before",
          change: async () => {
            const { secret, ...rest } = await account();
            return { ...rest, secret, candidate: secret };
          },
          expect: { outcome: "refused", code: "reused" },
        },
        {
          name: "too young",
          change: () => account(["pwdPolicySubentry: cn=slow,ou=policies,dc=corp,dc=test"]),
          expect: { outcome: "refused", code: "too-young" },
        },
      ],
    },
    reconciles: {
      account,
      able: { username: server.helpdesk.username, secret: server.helpdesk.password },
      unable: { username: unable.username, secret: unable.password },
    },
    lists: {
      target: at(server, ca, server.helpdesk.username),
      secret: server.helpdesk.password,
      expect: [
        { name: server.helpdesk.username, isPrivileged: false, isLocked: false },
        { name: locked.username, isLocked: true },
      ],
    },
  };
}

connectorSuite({ connector: ldap, needs: NEEDS, start: rows });

describe("LDAP: account states, and setting passwords", { ...NEEDS, concurrency: 1 }, () => {
  let authority: Authority;
  let elsewhere: HostileServer;
  let server: OpenldapServer<"alice" | "bob" | "carol" | "fresh" | "locked">;
  before(async () => {
    authority = await makeAuthority();
    elsewhere = await startHostile("black-hole");
    server = await startOpenldap({
      certificate: await authority.issue(["127.0.0.1"]),
      users: {
        alice: [],
        bob: [],
        carol: [],
        fresh: ["pwdReset: TRUE"],
        locked: [PERMANENTLY],
      },
      ldif: `dn: ou=elsewhere,dc=corp,dc=test
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://127.0.0.1:${elsewhere.port}/dc=other,dc=test

dn: ou=groups,dc=corp,dc=test
objectClass: organizationalUnit
ou: groups

dn: cn=operators,ou=groups,dc=corp,dc=test
objectClass: groupOfNames
cn: operators
member: uid=bob,ou=people,dc=corp,dc=test

dn: cn=admins,ou=groups,dc=corp,dc=test
objectClass: groupOfNames
cn: admins
member: cn=operators,ou=groups,dc=corp,dc=test`,
      overlay: ["ppolicy_use_lockout"],
    });
  });
  after(async () => {
    await server?.stop();
    await elsewhere?.stop();
  });

  const target = (username: string, more: Record<string, unknown> = {}) =>
    aTarget(at(server, authority.certificate, username, more));
  const helpdesk = (): ReconcileLogin => ({ username: "helpdesk", secret: Secret.fromText(server.helpdesk.password) });
  const verify = (username: string, secret: string, more: Record<string, unknown> = {}) =>
    tryOut(ldap, { target: target(username, more), secret });
  const change = (username: string, current: string, candidate: string, more: Record<string, unknown> = {}) =>
    withoutLeak([current, candidate], () =>
      ldap.change!(target(username, more), Secret.fromText(current), Secret.fromText(candidate), aContext()),
    );

  test("reports a locked account and a password that must change, if the directory reports them", async () => {
    assertResult(await verify("locked", server.users.locked.password), { outcome: "rejected", code: "account-locked" });
    assertResult(await verify("fresh", server.users.fresh.password), { outcome: "rejected", code: "must-change" });
  });

  test("does not follow a referral to another server", async () => {
    const dn = "uid=alice,ou=elsewhere,dc=corp,dc=test";
    const result = await verify(dn, server.users.alice.password);
    assert.ok(["rejected", "misconfigured"].includes(result.outcome), result.message);
    assert.equal(elsewhere.connections(), 0);
  });

  test("replaces the attribute where the password operation is disabled", async () => {
    const { alice } = server.users;
    const [old, candidate] = [alice.password, newPassword()];
    const result = await change("alice", old, candidate, { password_change: "modify" });
    assert.equal(result.outcome, "changed", result.message);
    alice.password = candidate;
    assertResult(await verify("alice", candidate), VERIFIED);
    assertResult(await verify("alice", old), WRONG_PASSWORD);
  });

  test("an account that must change its password does so in the change itself", async () => {
    const candidate = newPassword();
    const result = await change("fresh", server.users.fresh.password, candidate);
    assert.equal(result.outcome, "changed", result.message);
    assertResult(await verify("fresh", candidate), VERIFIED);
  });

  test("a reconcile account sets another account's password, which is not marked as must-change", async () => {
    const candidate = newPassword();
    const { password } = server.helpdesk;
    const result = await withoutLeak([password, candidate], () =>
      ldap.reconcile!(target("carol"), helpdesk(), Secret.fromText(candidate), aContext()),
    );
    assert.equal(result.outcome, "changed", result.message);
    assertResult(await verify("carol", candidate), VERIFIED);
    server.users.carol.password = candidate;
  });

  test("lists accounts with groups and without hashes, and ignores referrals", async () => {
    const { password } = server.users.bob;
    const result = await withoutLeak([password], () =>
      ldap.listAccounts!(target("bob"), Secret.fromText(password), aContext()),
    );
    assert.ok(result.outcome === "listed", result.message);
    const byName = new Map(result.accounts.map((account) => [account.name, account]));
    assert.deepEqual([...byName.keys()].sort(), ["alice", "bob", "carol", "fresh", "helpdesk", "locked"]);
    assert.deepEqual(
      [byName.get("bob")?.isPrivileged, byName.get("bob")?.facts["groups"], byName.get("alice")?.isPrivileged],
      [true, ["operators"], false],
    );
    assert.ok(byName.get("locked")?.isLocked);
    assert.match(byName.get("carol")?.passwordChangedAt ?? "", /^20\d\d-/);
    assert.equal(elsewhere.connections(), 0);
    assert.doesNotMatch(JSON.stringify(result), /SSHA|userPassword/);
  });

  test("refuses an empty password, which a directory would accept as an anonymous bind", async () => {
    assertResult(await ldap.verify(target("alice"), Secret.fromText(""), aContext()), {
      outcome: "misconfigured",
      code: "bad-input",
    });
    const current = Secret.fromText(server.users.alice.password);
    const result = await ldap.change!(target("alice"), current, Secret.fromText(""), aContext());
    assert.equal(result.outcome, "unsent");
  });

  test("a user name cannot break out of its attribute in the DN (RFC 4514)", async () => {
    assert.equal(escapedValue('a,b+c"d\\e<f>g;h=i'), String.raw`a\,b\+c\"d\\e\<f\>g\;h\=i`);
    assert.equal(escapedValue(" # "), String.raw`\ #\ `);
    const result = await verify("alice,ou=people", server.users.alice.password);
    assertResult(result, WRONG_PASSWORD);
  });
});

test("StartTLS continues only after one clear success, in either encoding of the length", () => {
  const yes = "300c02010178070a010004000400";
  assert.equal(isStartTlsSuccess(Buffer.from(yes, "hex")), true);
  assert.equal(isStartTlsSuccess(Buffer.from("3084000000100201017884000000070a010004000400", "hex")), true);
  assert.equal(isStartTlsSuccess(Buffer.from("300c02010178070a013404000400", "hex")), false);
  assert.equal(isStartTlsSuccess(Buffer.from(`${yes}300c020102`, "hex")), false);
  assert.equal(isStartTlsSuccess(Buffer.from("SSH-2.0-OpenSSH")), false);
  for (let length = 0; length < yes.length / 2; length += 1)
    assert.equal(isStartTlsSuccess(Buffer.from(yes, "hex").subarray(0, length)), null, String(length));
});
