// Saves, lists, changes and deletes a user's scan configurations.
import type {
  Message,
  SavedScanConfig,
  ScanConfigId,
  createScanConfig,
  deleteScanConfig,
  listScanConfigs,
  readScanConfig,
  updateScanConfig,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { configNotFound } from "./scans.ts";
import type { ScansContext } from "./scans.ts";
import * as store from "./scans.store.ts";
import type { SavedConfigRow } from "./scans.store.ts";

export const listConfigs = async (call: Call<typeof listScanConfigs>, db: Db) => ({
  data: (await store.listConfigs(db, call.actor.id)).map(toConfig),
});

export const readConfig = async (call: Call<typeof readScanConfig>, db: Db): Promise<SavedScanConfig> =>
  toConfig(await own(db, call));

export async function createConfig(
  { kernel }: ScansContext,
  call: Call<typeof createScanConfig>,
  tx: Tx,
): Promise<SavedScanConfig> {
  const { name, scanConfig, complianceFrameworks: frameworks } = call.body;
  await requireFreeName(tx, call.actor.id, name, null);
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  const config = JSON.stringify(scanConfig);
  await store.insertConfig(tx, {
    id,
    user_id: call.actor.id,
    name,
    config,
    frameworks,
    created_at: at,
    updated_at: at,
  });
  call.note({ target: { type: "scan-config", id, name } });
  return toConfig((await store.readConfig(tx, call.actor.id, id))!);
}

export async function changeConfig(
  { kernel }: ScansContext,
  call: Call<typeof updateScanConfig>,
  tx: Tx,
): Promise<SavedScanConfig> {
  const { id } = await own(tx, call);
  const { name, scanConfig, complianceFrameworks: frameworks } = call.body;
  await requireFreeName(tx, call.actor.id, name, id);
  const updated_at = kernel.clock.now();
  await store.updateConfig(tx, id, { name, config: JSON.stringify(scanConfig), frameworks, updated_at });
  call.note({ target: { type: "scan-config", id, name } });
  return toConfig((await store.readConfig(tx, call.actor.id, id))!);
}

export async function removeConfig(call: Call<typeof deleteScanConfig>, tx: Tx): Promise<Message> {
  const { id, name } = await own(tx, call);
  call.note({ target: { type: "scan-config", id, name } });
  await store.deleteConfig(tx, id);
  return { message: `"${name}" deleted successfully` };
}

async function own(db: Db, call: Pick<Call, "actor" | "note"> & { params: { id: string } }): Promise<SavedConfigRow> {
  call.note({ target: { type: "scan-config", id: call.params.id } });
  const row = await store.readConfig(db, call.actor.id, call.params.id);
  if (row === null) throw configNotFound();
  return row;
}

async function requireFreeName(tx: Tx, userId: string, name: string, except: string | null): Promise<void> {
  if (await store.isNameFree(tx, userId, name, except)) return;
  const msg = "You have a configuration with this name";
  throw refuse(409, "scan.config-name-taken", `${msg}.`, { errors: [{ path: "name", msg }] });
}

const toConfig = (row: SavedConfigRow): SavedScanConfig => ({
  id: row.id as ScanConfigId,
  name: row.name,
  scan_config: row.config,
  compliance_frameworks: row.frameworks,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
