// Measures the access that calls give to others: makes each call, compares the permissions of everyone else before and
// after it, and checks the difference against the contract's declaration. Calls that give access need
// re-authentication, or a token's scope.
import { Scope, createSafe, createToken, moveAccount, updateSafe } from "@strongroom/contract";
import type { Endpoint } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { codeOf } from "#features/sign-in/testing/attempts.ts";
import { gainedBetween, rightsOfOthers } from "./everyones-rights.ts";
import { aGivenAccessWorld, harmlessInputsFor, inputsFor } from "./given-access-world.ts";
import type { GivenAccessInput, GivenAccessWorld } from "./given-access-world.ts";
import type { TestPerson } from "./people.ts";
import { testApp } from "./test-app.ts";
import type { CallOptions, Reply, TestApp } from "./test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** A public call has no caller whose access it could give, and a GET has no effect. */
const writes = endpoints.filter(({ endpoint }) => endpoint.method !== "GET" && endpoint.needs !== "public");
const giving = writes.filter(({ endpoint }) => endpoint.gives !== "nothing");

/** Calls that never succeed in this world and are not measured. All are declared to give no access. */
const NOT_MEASURED = [
  "acceptContradictions",
  "activateSshCaKey",
  "addFactor",
  "addWitnessedLog",
  "allowAccountAccess",
  "assignFinding",
  "beginProviderStepUp",
  "breakGlass",
  "cancelAdminReset",
  "cancelBackupWork",
  "cancelDiscoveryScan",
  "cancelEnhancedScan",
  "cancelRangeScan",
  "cancelRecovery",
  "cancelReport",
  "cancelRotation",
  "cancelRotationRun",
  "cancelVerificationRun",
  "changeFindingStatus",
  "changePassword",
  "checkInAccount",
  "commentOnFinding",
  "confirmAdminReset",
  "createEnhancedScanSchedule",
  "createFindingRule",
  "createOnboardingRule",
  "deleteAuditSink",
  "deleteBackup",
  "deleteDiscoveryTarget",
  "deleteEnhancedScanSchedule",
  "deleteFindingRule",
  "deleteIdentityProvider",
  "deleteOnboardingRule",
  "deleteReport",
  "deleteReportSchedule",
  "deleteSavedView",
  "deleteScanConfig",
  "deleteSshCaKey",
  "disableOnboardingRule",
  "disallowDiscoveryNetwork",
  "dismissNotification",
  "drainGateway",
  "drillBackup",
  "dryRunOnboardingRule",
  "enableOnboardingRule",
  "endOwnSession",
  "extendAccessRequest",
  "finishRestoreReview",
  "holdSessionRecording",
  "makeBackup",
  "messagePrivilegedSession",
  "moveOnboardingRule",
  "pausePrivilegedSession",
  "readNotification",
  "reconcileAccount",
  "releaseSessionRecording",
  "removeFactor",
  "removeSshKey",
  "removeWitnessedLog",
  "renewRecoveryCodes",
  "requestAdminReset",
  "retryJob",
  "reviewBreakGlass",
  "revokeAccessRequest",
  "rotateAccount",
  "rotateCredential",
  "seal",
  "startCloudDiscovery",
  "startDiscoveryScan",
  "startEnhancedScan",
  "startPrivilegedSession",
  "stepUp",
  "subscribeToAudit",
  "terminatePrivilegedSession",
  "testAccountLogin",
  "testAuditSink",
  "testDiscoveryTarget",
  "testIdentityProvider",
  "undoOnboarding",
  "undoVaulting",
  "unsubscribeFromAudit",
  "updateScanConfig",
  "verifyFinding",
  "verifyMultiple",
  "watchPrivilegedSession",
];

/** A world is reused until a call in it has an effect. */
let spare: GivenAccessWorld | null = null;

interface Attempt {
  reply: Reply<unknown>;
  /** Permissions that others have now and did not have before. */
  gained: string[];
}

async function attempt(
  { endpoint }: Pick<NamedEndpoint, "endpoint">,
  input: GivenAccessInput,
  prepare: (world: GivenAccessWorld) => Promise<string>,
): Promise<Attempt> {
  const world = spare ?? (await aGivenAccessWorld(app));
  await signedIn(world);
  const given = (await input(world, app)) as CallOptions<Endpoint>;
  const as = await prepare(world);
  const earlier = await rightsOfOthers(app, world.view);
  const reply = await app.call(endpoint, { ...given, as });
  const gained = gainedBetween(earlier, await rightsOfOthers(app, world.view));
  spare = reply.status < 300 || gained.length > 0 ? null : world;
  return { reply, gained };
}

const signedIn = ({ owner }: GivenAccessWorld): Promise<string> => provedBefore(owner, "0");
const longAgoProved = ({ owner }: GivenAccessWorld): Promise<string> => provedBefore(owner, "2 days");

async function provedBefore({ id, token }: TestPerson, interval: string): Promise<string> {
  const statement = "update sign_in_sessions set proved_at = now() - $2::interval where user_id = $1";
  await app.database.pool.query(statement, [id, interval]);
  return token;
}

const tokenWith =
  (scopes: readonly Scope[]) =>
  async ({ owner }: GivenAccessWorld): Promise<string> => {
    const body = { name: "A token", scopes: [...scopes], expires_in_days: 1 };
    const made = await app.call(createToken, { body, as: owner.token });
    assert.equal(made.status, 201, made.text);
    return made.body.token;
  };

/** Throws unless the contract's declaration of a call matches what was measured. */
function requireTruth(named: NamedEndpoint, attempts: readonly Attempt[]): void {
  const { gives } = named.endpoint;
  const gained = attempts.flatMap((each) => each.gained);
  if (gives === "nothing") {
    assert.deepEqual(gained, [], `${named.name} says that it gives nothing to others`);
    return;
  }
  for (const { reply, gained: byThis } of attempts) {
    assert.ok(reply.status < 300, `${named.name}: ${reply.text}`);
    assert.notDeepEqual(byThis, [], `${named.name} says that it gives others a ${gives}`);
  }
}

async function measure(named: NamedEndpoint): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (const input of inputsFor(named)) attempts.push(await attempt(named, input, signedIn));
  return attempts;
}

describe("the contract declares the access that each call gives to other users", () => {
  const failed: string[] = [];
  for (const named of writes) {
    test(named.name, async () => {
      const attempts = await measure(named);
      if (attempts.every(({ reply }) => reply.status >= 300)) failed.push(named.name);
      requireTruth(named, attempts);
    });
  }
  test("measures every call that gives access, and lists the calls that are not measured", () => {
    assert.deepEqual(failed.toSorted(), NOT_MEASURED);
  });

  test("detects a wrong declaration", async () => {
    const move = writes.find(({ endpoint }) => endpoint === moveAccount)!;
    const asNothing: NamedEndpoint = { ...move, endpoint: { ...moveAccount, gives: "nothing" } };
    const moved = await measure(asNothing);
    assert.throws(() => requireTruth(asNothing, moved), /moveAccount says that it gives nothing/);
    const make = writes.find(({ endpoint }) => endpoint === createSafe)!;
    const asGiving: NamedEndpoint = { ...make, endpoint: { ...createSafe, gives: "right" } };
    const made = await measure(asGiving);
    assert.throws(() => requireTruth(asGiving, made), /createSafe says that it gives others a right/);
  });
});

describe("INVARIANT: a call that gives others access needs re-authentication", () => {
  test("the contract requires it for each such call", () => {
    for (const { name, endpoint } of giving) assert.ok(endpoint.stepUp !== undefined, name);
  });

  for (const named of giving) {
    test(`${named.name} is refused after the interval, without an effect`, async () => {
      for (const input of inputsFor(named)) {
        const { reply, gained } = await attempt(named, input, longAgoProved);
        assert.deepEqual([reply.status, codeOf(reply)], [403, "step-up.required"], reply.text);
        assert.deepEqual(gained, []);
      }
    });
  }

  for (const named of giving.filter(({ endpoint }) => endpoint.stepUp === "when-giving")) {
    test(`${named.name} does not need re-authentication for input that gives no access`, async () => {
      for (const input of harmlessInputsFor(named)) {
        const { reply, gained } = await attempt(named, input, longAgoProved);
        assert.ok(reply.status < 300, reply.text);
        assert.deepEqual(gained, []);
      }
    });
  }
});

describe("INVARIANT: an API token gives others access only with the scope for it", () => {
  for (const named of giving) {
    const { givesByToken } = named.endpoint;
    test(`${named.name} ${givesByToken === undefined ? "is closed to tokens" : `needs ${givesByToken}`}`, async () => {
      const [first] = inputsFor(named);
      const without = Scope.options.filter((scope) => scope !== givesByToken && scope !== "event.follow");
      const { reply, gained } = await attempt(named, first!, tokenWith(without));
      const code = givesByToken === undefined ? "token.session-needed" : "token.scope-missing";
      assert.deepEqual([reply.status, codeOf(reply)], [403, code], reply.text);
      assert.deepEqual(gained, []);
    });
  }

  test("safe.manage renames a safe but gives no access; safe.share does", async () => {
    const named = writes.find(({ endpoint }) => endpoint === updateSafe)!;
    const [toOutsider] = inputsFor(named);
    const [renaming] = harmlessInputsFor(named);
    const statuses = [];
    for (const input of [toOutsider!, renaming!]) {
      statuses.push((await attempt(named, input, tokenWith(["safe.manage"]))).reply.status);
    }
    statuses.push((await attempt(named, toOutsider!, tokenWith(["safe.manage", "safe.share"]))).reply.status);
    assert.deepEqual(statuses, [403, 200, 200]);
  });
});
