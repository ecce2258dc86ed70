// Describes where SSH clients reach the gateways, and the host key by which they recognise them.
import type { SshAccess } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { addressOf, readGateways } from "../gateway/gateways.store.ts";
import { gatewayHostKey } from "./host-key.ts";

/** Draining and lost gateways are omitted. */
export async function describeSshAccess(kernel: ProcessKernel, db: Db): Promise<SshAccess> {
  const ready = (await readGateways(db)).filter((each) => each.is_alive && !each.is_draining && each.address !== null);
  if (ready.length === 0) return { gateways: [], host_key: null, fingerprint: null };
  const { publicLine, fingerprint } = await gatewayHostKey(kernel);
  const gateways = ready.map(({ name, zone, address }) => ({ name, zone, ...addressOf(address ?? "") }));
  return { gateways, host_key: publicLine, fingerprint };
}
