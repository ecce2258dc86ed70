// The dependencies of the verification feature.
import { networkPolicy } from "@strongroom/connectors";
import type { NetworkPolicy } from "@strongroom/connectors";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { StartError } from "#kernel/start-error.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { createGate } from "./attempts/gate.ts";
import type { Gate } from "./attempts/gate.ts";
import type { AccountsOfSafes, Owner } from "./owner-of.ts";
import type { AttemptRow } from "./verification.store.ts";

/** Called in the transaction that writes the change. */
export interface VerificationListener {
  /** Called when an attempt that a user requested has begun. */
  started(tx: Tx, news: Begun): Promise<void>;
  /** Called when an attempt has ended. Returns what the attempt's audit entry should contain in addition. */
  concluded(tx: Tx, news: Concluded): Promise<Remark | null>;
}

export interface Remark {
  /** Null: use the default severity of the result. */
  severity: NonNullable<AuditNote["severity"]> | null;
  details: NonNullable<AuditNote["details"]>;
}

export interface Begun {
  attempt: AttemptRow;
  /** The user who waits for the result. */
  askedBy: string;
}

export interface Concluded {
  /** The finished attempt. */
  attempt: AttemptRow;
  askedBy: string | null;
  /** Null: the secret was deleted or changed in the meantime, so the attempt says nothing about it. */
  before: SecretRow | null;
  after: SecretRow | null;
  owner: Owner;
  isAlarm: boolean;
}

export interface VerificationContext {
  kernel: Kernel;
  /** The listeners, in the order in which they are notified. */
  watchers: VerificationListener[];
  network: NetworkPolicy;
  accounts: AccountsOfSafes;
  /** Limits the attempts whose result a user waits for. */
  gate: Gate;
}

/** Throws StartError when the configured networks are invalid. */
export function createVerificationContext(kernel: Kernel, accounts: AccountsOfSafes): VerificationContext {
  return { kernel, watchers: [], network: policyOf(kernel), accounts, gate: createGate() };
}

function policyOf({ config }: Kernel): NetworkPolicy {
  const { allowLoopbackTargets: allowLoopback, allowedNetworks } = config;
  try {
    return networkPolicy({ allowLoopback, allowedNetworks });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`STRONGROOM_ALLOWED_NETWORKS is invalid: ${reason}.`, { cause: error });
  }
}
