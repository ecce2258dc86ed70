// Routes of enhanced scans.
import * as contract from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { changeConfig, createConfig, listConfigs, readConfig, removeConfig } from "./saved-configs.ts";
import type { ScansContext } from "./scans.ts";
import { createSchedule, deleteSchedule, listSchedules } from "./schedules.ts";
import { cancelScan, listScans, readScan, startScan, startScans } from "./start-scan.ts";

export function bindScans(context: ScansContext): void {
  const { kernel } = context;
  implement(kernel, contract.startEnhancedScan, (call, tx) => startScan(context, call, tx));
  implement(kernel, contract.startEnhancedScans, (call, tx) => startScans(context, call, tx));
  implement(kernel, contract.listEnhancedScans, (call, db) => listScans(context, call, db));
  implement(kernel, contract.readEnhancedScan, (call, db) => readScan(context, call, db));
  implement(kernel, contract.cancelEnhancedScan, (call, tx) => cancelScan(context, call, tx));
  implement(kernel, contract.listEnhancedScanSchedules, listSchedules);
  implement(kernel, contract.createEnhancedScanSchedule, (call, tx) => createSchedule(context, call, tx));
  implement(kernel, contract.deleteEnhancedScanSchedule, deleteSchedule);
  implement(kernel, contract.listScanConfigs, listConfigs);
  implement(kernel, contract.createScanConfig, (call, tx) => createConfig(context, call, tx));
  implement(kernel, contract.readScanConfig, readConfig);
  implement(kernel, contract.updateScanConfig, (call, tx) => changeConfig(context, call, tx));
  implement(kernel, contract.deleteScanConfig, removeConfig);
}
