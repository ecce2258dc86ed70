// Reads and writes the sign-ins in progress at an OpenID Connect provider.
import type { IdentityProviderId, SessionId } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";

export interface FlowsTable {
  secret_hash: Buffer;
  provider_id: IdentityProviderId;
  return_to: string;
  is_remembered: boolean;
  expires_at: Date;
  /** For a step-up: the session that requested it. */
  session_id: SessionId | null;
  /** The provider was asked to authenticate the user again. */
  must_authenticate: boolean;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    identity_provider_flows: FlowsTable;
  }
}

export async function insertFlow(tx: Tx, flow: FlowsTable): Promise<void> {
  await tx.insertInto("identity_provider_flows").values(flow).execute();
}

/** INVARIANT: of any number of calls with the same secret, exactly one gets the flow. */
export const takeFlow = (tx: Tx, secretHash: Buffer): Promise<FlowsTable | undefined> =>
  tx.deleteFrom("identity_provider_flows").where("secret_hash", "=", secretHash).returningAll().executeTakeFirst();

export async function deleteFlowsBefore(tx: Tx, now: Date): Promise<void> {
  await tx.deleteFrom("identity_provider_flows").where("expires_at", "<=", now).execute();
}
