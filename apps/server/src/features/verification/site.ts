// What every verification of this server needs.
import { networkPolicy } from "@strongroom/connectors";
import type { NetworkPolicy } from "@strongroom/connectors";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { StartError } from "#kernel/start-error.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { createGate } from "./gate.ts";
import type { Gate } from "./gate.ts";
import type { AccountsOfSafes, Owner } from "./owner-of.ts";
import type { AttemptRow } from "./verification.store.ts";

/** Called in the transaction that makes it true. */
export interface Watcher {
  /** An attempt that a person asked for has begun. */
  begun(tx: Tx, news: Begun): Promise<void>;
  /** The answer is what the attempt's audit entry should say beside what the attempt itself knows. */
  concluded(tx: Tx, news: Concluded): Promise<Remark | null>;
}

export interface Remark {
  /** Null: as the result says. */
  severity: NonNullable<AuditNote["severity"]> | null;
  details: NonNullable<AuditNote["details"]>;
}

export interface Begun {
  attempt: AttemptRow;
  /** Who waits for it. */
  askedBy: string;
}

export interface Concluded {
  /** Ended. */
  attempt: AttemptRow;
  askedBy: string | null;
  /** Null: it was deleted meanwhile, or changed so that the attempt says nothing about it. */
  before: CredentialRow | null;
  after: CredentialRow | null;
  owner: Owner;
  isAlarm: boolean;
}

export interface Site {
  kernel: Kernel;
  /** Who is told of attempts, in this order. */
  watchers: Watcher[];
  network: NetworkPolicy;
  accounts: AccountsOfSafes;
  /** For those who wait for a result. */
  gate: Gate;
}

/** Throws StartError when the configured networks make no sense. */
export function createSite(kernel: Kernel, accounts: AccountsOfSafes): Site {
  return { kernel, watchers: [], network: policyOf(kernel), accounts, gate: createGate() };
}

function policyOf({ config }: Kernel): NetworkPolicy {
  const { allowLoopbackTargets: allowLoopback, allowedNetworks } = config;
  try {
    return networkPolicy({ allowLoopback, allowedNetworks });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`STRONGROOM_ALLOWED_NETWORKS is not usable: ${reason}.`, { cause: error });
  }
}
