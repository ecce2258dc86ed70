// Compares the rule for using and retrieving accounts with an independent implementation written from the requirements.
import { ACCOUNT_STATUSES, SAFE_PERMISSIONS, SAFE_STATUSES } from "@strongroom/contract";
import type { SafePermission } from "@strongroom/contract";
import assert from "node:assert/strict";
import { test } from "node:test";
import { bitsOf } from "#features/safes/index.ts";
import { chanceOf, seedOfRun } from "#testing/worlds.ts";
import { decideAccess, isVisible, needsApproval, permissionsOn } from "./accounts.policy.ts";
import type { AccountAccess } from "./accounts.policy.ts";

/** The expected decision, derived only from the requirements. */
function opinion(wanted: "use" | "retrieve", names: readonly SafePermission[], standing: AccountAccess): string {
  const isWorking = standing.safeStatus === "active" && standing.accountStatus === "active";
  const isMember = names.length > 0;
  if (!isWorking) return "no";
  if (standing.isGranted) return "allowed";
  if (!isMember) return "no";
  const asksNobody = standing.approvals < 1;
  if (names.includes(wanted) && (asksNobody || names.includes("access_without_confirmation"))) return "allowed";
  return "needs-approval";
}

test("the rules decide `use` and `retrieve` as expected for every combination of facts", () => {
  const seed = seedOfRun();
  const chance = chanceOf(seed);
  const seen = new Set<string>();
  for (let round = 0; round < 20_000; round++) {
    const chosen = chance.isLikely(0.2) ? [] : chance.someOf(SAFE_PERMISSIONS, chance.oneOf([0.05, 0.3, 0.8]));
    const names: SafePermission[] = chosen.length === 0 ? [] : [...new Set<SafePermission>(["list", ...chosen])];
    const standing: AccountAccess = {
      permissions: names.length === 0 ? 0 : bitsOf(names),
      safeStatus: chance.isLikely(0.7) ? "active" : chance.oneOf(SAFE_STATUSES),
      accountStatus: chance.isLikely(0.7) ? "active" : chance.oneOf(ACCOUNT_STATUSES),
      approvals: chance.below(3),
      isGranted: chance.isLikely(0.3),
    };
    const told = JSON.stringify({ seed, round, names, standing });
    for (const wanted of ["use", "retrieve"] as const) {
      const verdict = decideAccess(wanted, standing);
      seen.add(verdict);
      assert.equal(verdict, opinion(wanted, names, standing), told);
      assert.equal(permissionsOn(standing).includes(wanted), verdict === "allowed", told);
      if (verdict !== "no") assert.ok(isVisible(standing), told);
    }
    const asks = ["use", "retrieve"].some((wanted) => opinion(wanted as "use", names, standing) === "needs-approval");
    assert.equal(needsApproval(standing), asks, told);
    assert.equal(isVisible(standing), permissionsOn(standing).includes("list"), told);
  }
  assert.deepEqual([...seen].toSorted(), ["allowed", "needs-approval", "no"]);
});

test("a grant gives `use` and `retrieve`, and nothing else", () => {
  const standing = { permissions: 0, safeStatus: "active", accountStatus: "active", approvals: 2 } as const;
  assert.deepEqual(permissionsOn({ ...standing, isGranted: true }), ["list", "use", "retrieve"]);
  assert.deepEqual(permissionsOn({ ...standing, isGranted: false }), []);
});
