// The shared suite for capabilities beyond verification: change, reconcile, retire and list. It asserts that missing
// capabilities are missing, too.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import fc from "fast-check";
import {
  MAX_LISTED_ACCOUNTS,
  type ChangeResult,
  type Connector,
  type ReconcileLogin,
  type Target,
  type VerifyContext,
} from "../src/connector.ts";
import { secretTexts } from "../src/private-key/json-secret.ts";
import { aContext, aTarget } from "./factories.ts";
import { withoutLeak } from "./leak-watch.ts";
import { startCuttingProxy, type Fault } from "./targets/cutting-proxy.ts";
import { startHostile } from "./targets/hostile.ts";
import { freePort } from "./targets/server-process.ts";

/** An account used by one test only, and its next secret. */
export interface Changeable {
  target: Partial<Target>;
  secret: string;
  candidate: string;
}

/** Members that a result must have; `code` is that of the failure if nothing was sent. */
export interface ExpectedChange {
  outcome: ChangeResult["outcome"];
  code?: string;
}

/** For a connector with `change`. */
export interface ChangeRows {
  /** A new account for each call. */
  account(): Promise<Changeable>;
  /** A wrong current secret for that account, if an arbitrary password is not valid as one. */
  wrongSecret?: string;
  /** Changes that the target refuses: too short, too young, reused, read-only. */
  refusals: { name: string; change: () => Promise<Changeable>; expect: ExpectedChange }[];
  /** False when the connection cannot go through a TCP proxy, or the connector's own tests cut it. */
  isCuttable?: boolean;
  /** True when old and new are both valid until `retire`; default: whether the connector has `retire`. */
  isSideBySide?: boolean;
}

/** For a connector with `reconcile` and `checkReconcile`. */
export interface ReconcileRows {
  account(): Promise<Changeable>;
  /** An account that may change the target's secret. */
  able: Omit<ReconcileLogin, "secret"> & { secret: string };
  /** An account that can log in but may not change the target's secret. */
  unable: Omit<ReconcileLogin, "secret"> & { secret: string };
  /** The result of an attempt by `unable`; default: `refused` and `no-permission`. */
  expectUnable?: ExpectedChange;
}

/** For a connector with `listAccounts`. */
export interface ListRows {
  target: Partial<Target>;
  secret: string;
  /** Redirects the target, when its host and port do not determine the destination. */
  elsewhere?: (host: string, port: number) => Partial<Target>;
  /** Names that must be in the list, with their expected facts. */
  expect: { name: string; isPrivileged?: boolean; isLocked?: boolean }[];
}

export interface CapabilityRows {
  changes?: ChangeRows;
  reconciles?: ReconcileRows;
  lists?: ListRows;
}

const WRONG = "not-the-password-of-anybody";
/** More pieces than any change sends. */
const MAX_PIECES = 200;
/** An answer is complete when nothing more arrives within this time. */
const GRACE_MS = 100;

type Context = Partial<VerifyContext>;

export function capabilityTests(connector: Connector, rows: () => CapabilityRows): void {
  test("every capability is tested, and a capability without rows does not exist", () => {
    const { changes, reconciles, lists } = rows();
    assert.equal(connector.change !== undefined, changes !== undefined, "change");
    assert.equal(connector.reconcile !== undefined, reconciles !== undefined, "reconcile");
    assert.equal(connector.checkReconcile !== undefined, reconciles !== undefined, "checkReconcile");
    assert.equal(connector.listAccounts !== undefined, lists !== undefined, "listAccounts");
  });
  if (connector.change !== undefined) changeTests(connector, () => defined(rows().changes));
  if (connector.reconcile !== undefined) reconcileTests(connector, () => defined(rows().reconciles));
  if (connector.listAccounts !== undefined) listTests(connector, () => defined(rows().lists));
}

/** One change as the account itself, asserting that neither secret appears in the result. */
export async function tryChange(connector: Connector, account: Changeable, context: Context = {}) {
  const { target, secret, candidate } = account;
  return withoutLeak([...secretTexts(secret), ...secretTexts(candidate)], () =>
    defined(connector.change?.bind(connector))(
      aTarget(target),
      Secret.fromText(secret),
      Secret.fromText(candidate),
      aContext(context),
    ),
  );
}

/** Makes one change by another account, and asserts that no secret appears in the result. */
export async function tryReconcile(connector: Connector, account: Changeable, by: ReconcileRows["able"]) {
  const { target, candidate } = account;
  return withoutLeak([by.secret, ...secretTexts(candidate)], () =>
    defined(connector.reconcile?.bind(connector))(
      aTarget(target),
      { ...by, secret: Secret.fromText(by.secret) },
      Secret.fromText(candidate),
      aContext(),
    ),
  );
}

/** Asserts that the result has the members of `expected` and the promised shape. */
export function assertChange(result: ChangeResult, expected: ExpectedChange): void {
  const code = result.outcome === "refused" ? result.code : failureCode(result);
  const shown = { outcome: result.outcome, ...(code === undefined ? {} : { code }) };
  assert.deepEqual(shown, expected, result.message);
  assert.ok(Number.isInteger(result.durationMs) && result.durationMs >= 0);
  assert.match(result.message, /^\S.*[.?]$/s, "a message is a sentence");
}

function failureCode(result: ChangeResult): string | undefined {
  return result.outcome === "unsent" && "code" in result.failure ? result.failure.code : undefined;
}

/** The outcome of a login with `secret` over its own connection. */
async function outcomeOf(connector: Connector, { target }: Changeable, secret: string): Promise<string> {
  const result = await connector.verify(aTarget(target), Secret.fromText(secret), aContext());
  return result.outcome;
}

/** Exported for connectors with two kinds of secrets, which run it for the second kind too. */
export function changeTests(connector: Connector, rows: () => ChangeRows): void {
  const isSideBySide = () => rows().isSideBySide ?? connector.retire !== undefined;
  const isIn = async (account: Changeable, secret: string) =>
    assert.equal(await outcomeOf(connector, account, secret), "verified");
  const isOut = async (account: Changeable, secret: string) =>
    assert.equal(await outcomeOf(connector, account, secret), "rejected");

  test("a changed secret logs in and the old one no longer does, after retiring the old one if both are valid", async () => {
    const account = await rows().account();
    const { secret, candidate } = account;
    assertChange(await tryChange(connector, account), { outcome: "changed" });
    await isIn(account, candidate);
    if (isSideBySide()) await isIn(account, secret);
    if (connector.retire !== undefined) await retireTwice(connector, account, isSideBySide());
    await isOut(account, secret);
    await isIn(account, candidate);
  });

  test("repeating the same change is harmless", async () => {
    const account = await rows().account();
    await tryChange(connector, account);
    const again = await tryChange(connector, account);
    assert.notEqual(again.outcome, "unknown", again.message);
    await isIn(account, account.candidate);
  });

  test("a wrong current secret changes nothing, and is reported as in a verification", async () => {
    const account = await rows().account();
    const result = await tryChange(connector, { ...account, secret: rows().wrongSecret ?? WRONG });
    assert.equal(result.outcome, "unsent", result.message);
    assert.equal(result.outcome === "unsent" && result.failure.outcome, "rejected");
    await isIn(account, account.secret);
  });

  test("a refused candidate leaves the old secret active", async (t) => {
    for (const { name, change, expect } of rows().refusals) {
      await t.test(name, async () => {
        const account = await change();
        assertChange(await tryChange(connector, account), expect);
        await isIn(account, account.secret);
      });
    }
  });

  test("sends nothing to an unreachable or forbidden target", async () => {
    const account = await rows().account();
    const at = (host: string, port: number) => ({ ...account, target: { ...account.target, host, port } });
    const nowhere = await tryChange(connector, at("127.0.0.1", await freePort()));
    assertChange(nowhere, { outcome: "unsent", code: "refused" });
    const forbidden = await tryChange(connector, at("169.254.169.254", 80));
    assertChange(forbidden, { outcome: "unsent", code: "address-forbidden" });
    const signal = AbortSignal.abort();
    assertChange(await tryChange(connector, account, { signal }), { outcome: "unsent", code: "cancelled" });
    await isIn(account, account.secret);
  });

  test("INVARIANT: a hostile server never gets a confirmed change or a secret, whatever the secrets are", async (t) => {
    const servers = await Promise.all(
      (["garbage", "echo", "closes", "black-hole"] as const).map((kind) => startHostile(kind)),
    );
    t.after(() => Promise.all(servers.map((server) => server.stop())));
    const { target, secret } = await rows().account();
    const awkward = fc.string({ minLength: 12, maxLength: 40, unit: "binary" }).filter((text) => text.isWellFormed());
    await fc.assert(
      fc.asyncProperty(awkward, fc.constantFrom(...servers), async (candidate, server) => {
        const account = { target: { ...target, host: server.host, port: server.port }, secret, candidate };
        const result = await tryChange(connector, account, { timeoutMs: 150 });
        assert.ok(["unsent", "refused"].includes(result.outcome), `${result.outcome}: ${result.message}`);
        assert.ok(!server.received().includes(candidate), "the new secret went out in clear text");
      }),
      { numRuns: 16 },
    );
  });

  cutTests(connector, rows);
}

/** Wherever the connection is cut, the result's claim is true and one of the two secrets is active. */
function cutTests(connector: Connector, rows: () => ChangeRows): void {
  /** Tries both at once, because a wrong secret costs seconds on some systems. */
  const claims = async (account: Changeable, result: ChangeResult) => {
    const { secret, candidate } = account;
    const says = `${result.outcome}: ${result.message}`;
    const isIn = async (each: string) => (await outcomeOf(connector, account, each)) === "verified";
    if (result.outcome === "changed") assert.ok(await isIn(candidate), `the new one is not active after ${says}`);
    else if (result.outcome === "unknown") {
      const live = await Promise.all([isIn(candidate), isIn(secret)]);
      assert.ok(live.includes(true), `neither secret logs in after ${says}`);
    } else assert.fail(says);
  };

  const cutAt = async (account: Changeable, piece: number, fault: Fault, isDelivered: boolean) => {
    const { host, port } = account.target;
    const proxy = await startCuttingProxy({ host: host ?? "", port: port ?? 0 });
    // Without an answer, the attempt is cancelled right after the cut, instead of waiting for its deadline.
    const over = new AbortController();
    try {
      void proxy.cut({ fault, at: (_, index) => index === piece, isDelivered }).then(() => {
        if (fault !== "reset") setTimeout(() => over.abort(), GRACE_MS);
      });
      const target = { ...account.target, host: proxy.host, port: proxy.port };
      return await tryChange(connector, { ...account, target }, { signal: over.signal });
    } finally {
      await proxy.stop();
    }
  };

  /**
   * Cuts from `piece` on, until the result is unsure; returns the position. A connector's data may arrive in one piece
   * more or less than the last time. If a result had wrongly claimed that nothing was sent, the old secret would no
   * longer log in, and there would be no such position.
   */
  const cutUntilUnknown = async (first: number, fault: Fault, isDelivered: boolean): Promise<number> => {
    let account = await rows().account();
    let piece = first;
    for (let tries = 0; tries < MAX_PIECES; tries += 1) {
      const result = await cutAt(account, piece, fault, isDelivered);
      if (result.outcome !== "unsent") await claims(account, result);
      if (result.outcome === "unknown") return piece;
      if (result.outcome === "changed") account = await rows().account();
      piece = Math.max(0, piece + (result.outcome === "changed" ? -2 : 1));
    }
    return assert.fail(`${fault}: no cut made the result unknown`);
  };

  const FAULTS: [Fault, boolean][] = [
    ["reset", false],
    ["black-hole", true],
    ["pause", true],
  ];

  test("a change is reported as unsent if the connection is cut before the change was sent, and as unknown afterwards", async (t) => {
    // Not a skip: that counts as a failure where every target is available.
    if (rows().isCuttable === false) return t.diagnostic("the connector's own tests cut its connections");
    const piece = await cutUntilUnknown(0, "reset", true);
    await Promise.all(FAULTS.map(([fault, isDelivered]) => cutUntilUnknown(piece, fault, isDelivered)));
  });
}

async function retireTwice(
  connector: Connector,
  { target, secret, candidate }: Changeable,
  isSideBySide: boolean,
): Promise<void> {
  const retire = (current: string, retired: string) =>
    withoutLeak([...secretTexts(current), ...secretTexts(retired)], () =>
      defined(connector.retire?.bind(connector))(
        aTarget(target),
        Secret.fromText(current),
        Secret.fromText(retired),
        aContext(),
      ),
    );
  if (isSideBySide) {
    assert.notEqual((await retire(candidate, candidate)).outcome, "changed", "the secret in use is never retired");
  }
  assertChange(await retire(candidate, secret), { outcome: "changed" });
  assertChange(await retire(candidate, secret), { outcome: "changed" });
}

function reconcileTests(connector: Connector, rows: () => ReconcileRows): void {
  const check = (account: Changeable, by: ReconcileRows["able"]) =>
    withoutLeak([by.secret], () =>
      defined(connector.checkReconcile?.bind(connector))(
        aTarget(account.target),
        { ...by, secret: Secret.fromText(by.secret) },
        aContext(),
      ),
    );

  test("another account with the permission sets the secret repeatedly without the old one", async () => {
    const account = await rows().account();
    assertChange(await tryReconcile(connector, account, rows().able), { outcome: "changed" });
    assert.equal(await outcomeOf(connector, account, account.candidate), "verified");
    assert.equal(await outcomeOf(connector, account, account.secret), "rejected");
    assertChange(await tryReconcile(connector, account, rows().able), { outcome: "changed" });
    assert.equal(await outcomeOf(connector, account, account.candidate), "verified");
  });

  test("an account without the permission, or one that cannot log in, changes nothing", async () => {
    const account = await rows().account();
    const { unable, able, expectUnable = { outcome: "refused", code: "no-permission" } } = rows();
    assertChange(await tryReconcile(connector, account, unable), expectUnable);
    const result = await tryReconcile(connector, account, { ...able, secret: WRONG });
    assert.equal(result.outcome, "unsent", result.message);
    assert.equal(await outcomeOf(connector, account, account.secret), "verified");
  });

  test("checkReconcile reports whether an account could set the secret, and changes nothing", async () => {
    const account = await rows().account();
    const { able, unable } = rows();
    const good = await check(account, able);
    assert.equal(good.outcome, "verified", good.message);
    const bad = await check(account, unable);
    assert.equal(bad.outcome, "rejected", bad.message);
    assert.equal("code" in bad && bad.code, "no-permission");
    const wrong = await check(account, { ...able, secret: WRONG });
    assert.equal(wrong.outcome, "rejected", wrong.message);
    assert.equal(await outcomeOf(connector, account, account.secret), "verified");
  });
}

function listTests(connector: Connector, rows: () => ListRows): void {
  const list = (target: Partial<Target>, secret: string, context: Context = {}) =>
    withoutLeak(secretTexts(secret), () =>
      defined(connector.listAccounts?.bind(connector))(aTarget(target), Secret.fromText(secret), aContext(context)),
    );

  describe("listing accounts", () => {
    test("lists accounts with their facts and never a hash", async () => {
      const { target, secret, expect } = rows();
      const result = await list(target, secret);
      assert.ok(result.outcome === "listed", result.message);
      const { accounts } = result;
      assert.ok(accounts.length <= MAX_LISTED_ACCOUNTS);
      assert.match(result.message, /^\S.*[.?]$/s, "a message is a sentence");
      const names = accounts.map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, "a name occurs twice");
      for (const { name, ...expected } of expect) {
        const found = accounts.find((account) => account.name === name);
        assert.ok(found !== undefined, `${name} is not among ${names.join(", ")}`);
        const shown = { isPrivileged: found.isPrivileged, isLocked: found.isLocked };
        assert.deepEqual(shown, { ...shown, ...expected }, name);
      }
      assert.doesNotMatch(JSON.stringify(accounts), HASH, "a hash is in the list");
    });

    test("a wrong secret lists nothing", async () => {
      const result = await list(rows().target, WRONG);
      assert.notEqual(result.outcome, "listed");
    });

    test("limits the time and memory that an endless list can use", async (t) => {
      const server = await startHostile("garbage");
      t.after(() => server.stop());
      const { target, secret, elsewhere = (host, port) => ({ ...target, host, port }) } = rows();
      const result = await list(elsewhere(server.host, server.port), secret, { timeoutMs: 400 });
      assert.notEqual(result.outcome, "listed");
      await server.idle();
    });
  });
}

/** The hash formats of crypt(3), PostgreSQL, MySQL and LDAP. */
const HASH = /\$(1|2[aby]|5|6|7|y|gy)\$|SCRAM-SHA-256\$\d+:|"md5[0-9a-f]{32}"|\*[0-9A-F]{40}|\{S?SHA\d*\}/;

function defined<T>(value: T | undefined): T {
  assert.ok(value !== undefined);
  return value;
}
