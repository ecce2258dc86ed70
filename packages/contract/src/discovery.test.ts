// Tests of the values, defaults and limits of discovery.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  DiscoveredStatus,
  DiscoveredSystem,
  OnboardingSettings,
  rejectDiscoveredAccounts,
} from "./discovered-accounts.ts";
import { DISCOVERY_DEFAULTS, DiscoveryMethod, DiscoveryTargetType } from "./discovery-types.ts";
import { ScanSettings } from "./discovery-scans.ts";
import { ScanStatus } from "./discovery.ts";

test("DISC-15, DISC-16: targets have five types, two for other clouds, one for repositories, and five methods", () => {
  assert.deepEqual(
    DiscoveryTargetType.options.filter((type) => type !== "azure" && type !== "gcp" && type !== "git"),
    ["linux", "windows", "database", "aws", "active_directory"],
  );
  assert.deepEqual(DiscoveryMethod.options, ["ssh", "winrm", "https", "aws_api", "database"]);
});

test("DISC-24: each type has its port and method", () => {
  assert.deepEqual(
    Object.entries(DISCOVERY_DEFAULTS).map(([type, { port, method }]) => [type, port, method]),
    [
      ["linux", 22, "ssh"],
      ["windows", 3389, "winrm"],
      ["database", 3306, "database"],
      ["aws", 443, "aws_api"],
      ["azure", 443, "https"],
      ["gcp", 443, "https"],
      ["active_directory", 389, "https"],
      ["git", 443, "https"],
    ],
  );
});

test("DISC-31, DISC-32: discovered accounts have five systems and three statuses", () => {
  assert.deepEqual(DiscoveredSystem.options, ["linux", "unix", "windows", "database", "other"]);
  assert.deepEqual(DiscoveredStatus.options, ["pending_approval", "active", "rejected"]);
});

test("DISC-39: approvals have defaults", () => {
  assert.deepEqual(OnboardingSettings.parse({}), { rotationPolicy: "30days", monitoring: true, autoRotate: false });
  for (const rotationPolicy of ["30days", "60days", "90days", "manual"]) OnboardingSettings.parse({ rotationPolicy });
  assert.throws(() => OnboardingSettings.parse({ rotationPolicy: "45days" }));
});

test("DISC-40: a rejection has account ids and a reason", () => {
  const accountIds = ["01a208bf-da68-7b5f-b38c-29f3a05542ef"];
  assert.equal(rejectDiscoveredAccounts.body!.safeParse({ accountIds }).success, false);
  assert.equal(rejectDiscoveredAccounts.body!.safeParse({ accountIds, reason: "Not ours" }).success, true);
});

test("SCAN-05: a scan has five statuses", () => {
  assert.deepEqual(ScanStatus.options, ["pending", "running", "completed", "failed", "cancelled"]);
});

describe("scan settings", () => {
  test("SCAN-14: have defaults", () => {
    assert.deepEqual(ScanSettings.parse({}), { includeSystemAccounts: false, timeout: 30_000, maxAccounts: 1000 });
  });

  for (const [field, least, most] of [
    ["timeout", 5000, 300_000],
    ["maxAccounts", 1, 10_000],
  ] as const) {
    test(`SCAN-15, SCAN-16: ${field} is ${least} to ${most}`, () => {
      const isValid = (value: number) => ScanSettings.safeParse({ [field]: value }).success;
      assert.deepEqual([least - 1, least, most, most + 1].map(isValid), [false, true, true, false]);
    });
  }
});
