// Tests Active Directory against a real domain controller (Samba's).
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import { makeAuthority, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { withoutLeak } from "../../testing/leak-watch.ts";
import type { CapabilityRows, Changeable } from "../../testing/capabilities.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import {
  sambaAdAvailable,
  startSambaAd,
  strongPassword,
  type DomainUser,
  type SambaAd,
} from "../../testing/targets/samba-ad.ts";
import { BAD_INPUT, clearTextOverTls, trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { ReconcileLogin, Target } from "../connector.ts";
import { activeDirectory } from "./active-directory.ts";

const NEEDS = needs(sambaAdAvailable(), opensslAvailable());

let authority: Authority;
let ad: SambaAd;
before(async () => {
  if (NEEDS.skip !== undefined) return;
  authority = await makeAuthority();
  ad = await startSambaAd(await authority.issue(["127.0.0.1", "dc1.corp.test"]));
});
after(() => ad?.stop());

const at = (username: string, more: Record<string, unknown> = {}): Partial<Target> => ({
  type: "password",
  host: ad.host,
  port: ad.port,
  username,
  additionalParams: { protocol: "active-directory", domain: ad.realm, ca: authority.certificate, ...more },
});

async function rows(): Promise<Rows> {
  const user = await ad.addUser();
  const disabled = await ad.addUser();
  const expired = await ad.addUser({ accountExpires: "126000000000000000" });
  await ad.set(disabled.dn, { userAccountControl: "514" });
  const own = (more: Record<string, unknown>) => at(user.username, more);
  return {
    good: trial(own({}), user.password, VERIFIED),
    wrong: trial(own({}), strongPassword(), WRONG_PASSWORD),
    locked: trial(at(disabled.username), disabled.password, { outcome: "rejected", code: "account-locked" }),
    expired: trial(at(expired.username), expired.password, { outcome: "rejected", code: "account-expired" }),
    encryption: [
      ...clearTextOverTls(own, user.password),
      { name: "StartTLS", ...trial({ ...own({}), port: 389 }, user.password, VERIFIED) },
      { name: "its own name", ...trial(own({ servername: "dc1.corp.test" }), user.password, VERIFIED) },
    ],
    elsewhere: (host, port) => ({ ...own({}), host, port }),
    ...(await capabilities(disabled)),
    stop: async () => {},
  };
}

async function capabilities(disabled: DomainUser): Promise<CapabilityRows> {
  const account = async (): Promise<Changeable> => {
    const { username, password } = await ad.addUser();
    return { target: at(username), secret: password, candidate: strongPassword() };
  };
  const plain = await ad.addUser();
  const { administrator } = ad;
  return {
    changes: {
      account,
      refusals: [
        {
          name: "too short",
          change: async () => ({ ...(await account()), candidate: "Sh0rt!" }),
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
      ],
    },
    reconciles: {
      account,
      able: { username: administrator.username, secret: administrator.password },
      unable: { username: plain.username, secret: plain.password },
    },
    lists: {
      target: at(plain.username),
      secret: plain.password,
      expect: [
        { name: "Administrator", isPrivileged: true, isLocked: false },
        { name: "krbtgt", isPrivileged: true, isLocked: true },
        { name: plain.username, isPrivileged: false, isLocked: false },
        { name: disabled.username, isLocked: true },
      ],
    },
  };
}

connectorSuite({ connector: activeDirectory, needs: NEEDS, start: rows });

describe("Active Directory: names, refusals and password changes", { ...NEEDS, concurrency: 1 }, () => {
  const verify = (username: string, secret: string, more: Record<string, unknown> = {}) =>
    tryOut(activeDirectory, { target: at(username, more), secret });
  const change = (username: string, current: string, candidate: string) =>
    withoutLeak([current, candidate], () =>
      activeDirectory.change!(aTarget(at(username)), Secret.fromText(current), Secret.fromText(candidate), aContext()),
    );
  const reconcile = (username: string, by: ReconcileLogin, candidate: string) =>
    withoutLeak([by.secret.reveal(), candidate], () =>
      activeDirectory.reconcile!(aTarget(at(username)), by, Secret.fromText(candidate), aContext()),
    );
  const loginOf = ({ username, password }: { username: string; password: string }): ReconcileLogin => ({
    username,
    secret: Secret.fromText(password),
  });
  const factsOf = (result: object) => ("facts" in result ? (result.facts as Record<string, unknown>) : {});

  test("finds an account by principal name, DOMAIN\\name, DN, or name with a separate domain", async () => {
    const user = await ad.addUser();
    for (const name of [`${user.username}@${ad.realm}`, `${ad.domain}\\${user.username}`, user.dn])
      assertResult(await verify(name, user.password, { domain: undefined }), VERIFIED);
    assertResult(await verify(user.username, user.password, { domain: ad.domain }), VERIFIED);
    assertResult(await verify(user.username, user.password, { domain: undefined }), BAD_INPUT);
    assertResult(await verify(`a\\b\\c`, user.password), BAD_INPUT);
  });

  test("verifies another machine's account at the `directory_server`, whatever the account's own port", async () => {
    const user = await ad.addUser();
    const target = {
      ...at(user.username, { directory_server: `${ad.host}:${ad.port}` }),
      type: "application",
      host: "192.0.2.7",
      port: 3389,
    };
    assertResult(await tryOut(activeDirectory, { target, secret: user.password }), VERIFIED);
  });

  test('reports "must change" and "locked out", the latter for the correct password too', async () => {
    const user = await ad.addUser();
    for (let times = 0; times < 3; times += 1)
      assertResult(await verify(user.username, strongPassword()), WRONG_PASSWORD);
    assertResult(await verify(user.username, user.password), { outcome: "rejected", code: "account-locked" });
    const fresh = await ad.addUser();
    await ad.set(fresh.dn, { pwdLastSet: "0" });
    assertResult(await verify(fresh.username, fresh.password), { outcome: "rejected", code: "must-change" });
  });

  test("warns that the controller accepts the old password for another hour, and rejects a change that uses the old password", async () => {
    await ad.acceptOldPasswords(60);
    try {
      const user = await ad.addUser();
      const candidate = strongPassword();
      const result = await change(user.username, user.password, candidate);
      assert.equal(result.outcome, "changed", result.message);
      assert.deepEqual(factsOf(result), { oldPasswordMayWorkForMinutes: 60 });
      for (const secret of [user.password, candidate]) {
        const verified = await verify(user.username, secret);
        assertResult(verified, VERIFIED);
        assert.equal(factsOf(verified)["mayBePreviousPassword"], true);
      }
      const again = await change(user.username, user.password, strongPassword());
      assert.equal(again.outcome === "unsent" && again.failure.outcome, "rejected", again.message);
      assertResult(await verify(user.username, candidate), VERIFIED);
    } finally {
      await ad.acceptOldPasswords(0);
    }
  });

  test("distinguishes a password that is too young to change from one that breaks the domain's rules", async () => {
    const user = await ad.addUser();
    await ad.set(ad.base, { minPwdAge: "-864000000000" });
    try {
      const result = await change(user.username, user.password, strongPassword());
      assert.equal(result.outcome === "refused" && result.code, "too-young", result.message);
    } finally {
      await ad.set(ad.base, { minPwdAge: "0" });
    }
    assertResult(await verify(user.username, user.password), VERIFIED);
  });

  test("a reconcile account resets another account's password, even one that must be changed", async () => {
    const user = await ad.addUser();
    await ad.set(user.dn, { pwdLastSet: "0" });
    const candidate = strongPassword();
    const result = await reconcile(user.username, loginOf(ad.administrator), candidate);
    assert.equal(result.outcome, "changed", result.message);
    assertResult(await verify(user.username, candidate), VERIFIED);
    // Characters that form a pattern in other queries are literal in a user name.
    for (const name of ["nobody-of-that-name", `${user.username.slice(0, -1)}*`]) {
      const nobody = await reconcile(name, loginOf(ad.administrator), strongPassword());
      assert.equal(nobody.outcome === "refused" && nobody.code, "no-such-account", nobody.message);
    }
  });

  test("reads the permission to reset a password from the access list, including delegation and groups", async () => {
    const [user, helpdesk, member] = [await ad.addUser(), await ad.addUser(), await ad.addUser()];
    const check = async (by: ReconcileLogin) =>
      activeDirectory.checkReconcile!(aTarget(at(user.username)), by, aContext());
    assertResult(await check(loginOf(member)), { outcome: "rejected", code: "no-permission" });
    const denied = await reconcile(user.username, loginOf(member), strongPassword());
    assert.equal(denied.outcome === "refused" && denied.code, "no-permission", denied.message);

    await ad.delegateReset(user.dn, helpdesk.dn);
    await ad.addMember(`CN=Domain Admins,CN=Users,${ad.base}`, await ad.addGroup([member.dn]));
    for (const by of [helpdesk, member, ad.administrator]) {
      const ready = await check(loginOf(by));
      assertResult(ready, VERIFIED);
      assert.deepEqual(factsOf(ready), { mayReset: true });
      const result = await reconcile(user.username, loginOf(by), strongPassword());
      assert.equal(result.outcome, "changed", result.message);
    }
  });

  test("lists accounts with nested privileged groups and other risk facts", async () => {
    const [admin, plain, once, out] = await Promise.all([1, 2, 3, 4].map(() => ad.addUser()));
    assert.ok(admin && plain && once && out);
    for (let times = 0; times < 3; times += 1) await verify(out.username, strongPassword());
    await ad.addMember(`CN=Administrators,CN=Builtin,${ad.base}`, await ad.addGroup([await ad.addGroup([admin.dn])]));
    await ad.set(once.dn, {
      adminCount: "1",
      servicePrincipalName: "HTTP/once.corp.test",
      userAccountControl: "66048",
    });
    const result = await withoutLeak([plain.password], () =>
      activeDirectory.listAccounts!(aTarget(at(plain.username)), Secret.fromText(plain.password), aContext()),
    );
    assert.ok(result.outcome === "listed", result.message);
    const find = (name: string) => result.accounts.find((account) => account.name === name);
    assert.deepEqual(
      [admin.username, plain.username, once.username, "Administrator", "krbtgt"].map(
        (name) => find(name)?.isPrivileged,
      ),
      [true, false, false, true, true],
    );
    assert.ok(find("Guest")?.isLocked);
    const { isLockedOut, isDisabled } = find(out.username)?.facts ?? {};
    assert.deepEqual([isLockedOut, isDisabled], [true, false]);
    const { hasAdminCount, passwordNeverExpires, servicePrincipalNames } = find(once.username)?.facts ?? {};
    assert.deepEqual(
      [hasAdminCount, passwordNeverExpires, servicePrincipalNames],
      [true, true, ["HTTP/once.corp.test"]],
    );
    assert.match(find(plain.username)?.passwordChangedAt ?? "", /^20\d\d-\d\d-\d\dT/);
    assert.equal(find(plain.username)?.expiresAt, null);
  });
});
