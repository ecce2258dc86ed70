// Routes of discovery.
import * as contract from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { approve, listFound, reject } from "./accounts/accounts.ts";
import type { DiscoveryContext } from "./discovery.ts";
import { readBlastRadius, readKeys, readPrivileges } from "./privileges/privileges.ts";
import { listAll, preview, readOne } from "./onboarding/preview-onboarding.ts";
import { undo } from "./onboarding/undo-onboarding.ts";
import {
  createRule,
  disableRule,
  dryRunRule,
  enableRule,
  listRules,
  moveRule,
  removeRule,
} from "./rules/change-rules.ts";
import { listResources, readResource, startDiscovery } from "./cloud/cloud.ts";
import { cancelScan, listScans, readScan, startScan, startScans } from "./scans/scans.ts";
import { allowNetwork, disallowNetwork, listAllowed } from "./ranges/networks.ts";
import { cancelRange, listRangeHosts, listRanges, readRange, startRange } from "./ranges/ranges.ts";
import { readStatistics } from "./statistics.ts";
import {
  acceptHostKey,
  changeTarget,
  createTarget,
  listTargets,
  readTarget,
  removeTarget,
  testTarget,
} from "./targets/change-targets.ts";

export function bindDiscovery(context: DiscoveryContext): void {
  const { kernel } = context;
  implement(kernel, contract.listDiscoveryTargets, listTargets);
  implement(kernel, contract.readDiscoveryTarget, readTarget);
  implementInSteps(kernel, contract.createDiscoveryTarget, (call) => createTarget(context, call));
  implementInSteps(kernel, contract.testDiscoveryTarget, (call) => testTarget(context, call));
  implement(kernel, contract.updateDiscoveryTarget, (call, tx) => changeTarget(context, call, tx));
  implement(kernel, contract.deleteDiscoveryTarget, (call, tx) => removeTarget(context, call, tx));
  implement(kernel, contract.acceptDiscoveryHostKey, (call, tx) => acceptHostKey(context, call, tx));
  implement(kernel, contract.startRangeScan, (call, tx) => startRange(context, call, tx));
  implement(kernel, contract.listRangeScans, listRanges);
  implement(kernel, contract.readRangeScan, readRange);
  implement(kernel, contract.listRangeScanHosts, listRangeHosts);
  implement(kernel, contract.cancelRangeScan, (call, tx) => cancelRange(context, call, tx));
  implement(kernel, contract.listDiscoveryNetworks, listAllowed);
  implement(kernel, contract.allowDiscoveryNetwork, (call, tx) => allowNetwork(context, call, tx));
  implement(kernel, contract.disallowDiscoveryNetwork, disallowNetwork);
  implement(kernel, contract.startDiscoveryScan, (call, tx) => startScan(context, call, tx));
  implement(kernel, contract.startDiscoveryScans, (call, tx) => startScans(context, call, tx));
  implement(kernel, contract.listDiscoveryScans, listScans);
  implement(kernel, contract.readDiscoveryScan, readScan);
  implement(kernel, contract.cancelDiscoveryScan, (call, tx) => cancelScan(context, call, tx));
  implement(kernel, contract.startCloudDiscovery, (call, tx) => startDiscovery(context, call, tx));
  implement(kernel, contract.listCloudResources, listResources);
  implement(kernel, contract.readCloudResource, readResource);
  implement(kernel, contract.listDiscoveredAccounts, listFound);
  implement(kernel, contract.readAccountPrivileges, readPrivileges);
  implement(kernel, contract.readBlastRadius, readBlastRadius);
  implement(kernel, contract.listDiscoveredKeys, readKeys);
  implement(kernel, contract.approveDiscoveredAccounts, (call, tx) => approve(context, call, tx));
  implement(kernel, contract.rejectDiscoveredAccounts, (call, tx) => reject(context, call, tx));
  implement(kernel, contract.previewOnboarding, (call, db) => preview(context, call, db));
  implement(kernel, contract.listOnboardings, listAll);
  implement(kernel, contract.readOnboarding, readOne);
  implement(kernel, contract.undoOnboarding, (call, tx) => undo(context, call, tx));
  implement(kernel, contract.listOnboardingRules, listRules);
  implement(kernel, contract.createOnboardingRule, (call, tx) => createRule(context, call, tx));
  implement(kernel, contract.enableOnboardingRule, enableRule);
  implement(kernel, contract.disableOnboardingRule, disableRule);
  implement(kernel, contract.moveOnboardingRule, moveRule);
  implement(kernel, contract.deleteOnboardingRule, removeRule);
  implement(kernel, contract.dryRunOnboardingRule, (call, db) => dryRunRule(context, call, db));
  implement(kernel, contract.discoveryStatistics, (call, db) => readStatistics(context, call, db));
}
