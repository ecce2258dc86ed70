// The networks that administrators allow for range scans.
import { networkPolicy } from "@strongroom/connectors";
import type { allowDiscoveryNetwork, disallowDiscoveryNetwork, DiscoveryNetwork, Message } from "@strongroom/contract";
import { DiscoveryNetworkId } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { DiscoveryContext } from "../discovery.ts";
import * as store from "./ranges.store.ts";
import type { NetworkRow } from "./ranges.store.ts";

export const listAllowed = async (_: unknown, db: Db) => ({ data: (await store.listNetworks(db)).map(toNetwork) });

export async function allowNetwork(
  { kernel }: DiscoveryContext,
  call: Call<typeof allowDiscoveryNetwork>,
  tx: Tx,
): Promise<DiscoveryNetwork> {
  const { network, description } = call.body;
  try {
    networkPolicy({ allowedNetworks: [network] });
  } catch (error) {
    throw refuse(422, "discovery.network-invalid", (error as Error).message, {
      errors: [{ path: "network", msg: (error as Error).message }],
    });
  }
  const at = kernel.clock.now();
  const row = { id: newId(at.getTime()), network, description, created_by: call.actor.name, created_at: at };
  if (!(await store.insertNetwork(tx, row))) {
    throw refuse(409, "discovery.network-known", `${network} is already allowed.`);
  }
  call.note({ target: { type: "discovery-network", id: row.id, name: network } });
  return toNetwork(row);
}

export async function disallowNetwork(call: Call<typeof disallowDiscoveryNetwork>, tx: Tx): Promise<Message> {
  call.note({ target: { type: "discovery-network", id: call.params.id } });
  const row = await store.deleteNetwork(tx, call.params.id);
  if (row === null) throw refuse(404, "discovery.network-not-found", "Network not found");
  call.note({ target: { type: "discovery-network", id: row.id, name: row.network } });
  return { message: `Scans of ${row.network} are no longer allowed` };
}

const toNetwork = ({ created_at, id, ...row }: NetworkRow): DiscoveryNetwork => ({
  ...row,
  id: DiscoveryNetworkId.parse(id),
  created_at: created_at.toISOString(),
});
