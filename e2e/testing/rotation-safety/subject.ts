// A target for fault injection, its accounts and their special properties.
import type { ConnectionMethod, InputOf, Rotation, SystemType, createCredential } from "@strongroom/contract";

type Body = NonNullable<InputOf<typeof createCredential>["body"]>;

/** A credential for an account that exists on the target. The test bed adds the address. */
export type AccountBody = Omit<Body, "name" | "host" | "port"> & { username: string; value: string };

/** The type of an account in a safe. */
export interface AccountKind {
  system_type: SystemType;
  connection_method: ConnectionMethod;
}

export interface Reconciler {
  kind: AccountKind;
  account: AccountBody;
}

export interface Subject {
  name: string;
  /** The target's version. */
  version: string;
  upstream: { host: string; port: number };
  /** Creates an account. */
  account(): Promise<AccountBody>;
  /** The port for logins, if secrets are changed at a different port (`upstream`). */
  login?: { host: string; port: number };
  /** Fields that differ for an account reached through this proxy. */
  through?(body: AccountBody, proxy: { host: string; port: number }): Partial<AccountBody> & { port?: number };
  /** Whether the target accepts the old secret for a while after a change. */
  isOldAccepted?: boolean;
  /** The purpose of each connection, if they differ from the default: change, proof, and retirement of the old secret. */
  connections?: readonly string[];
  /** If set, the accounts are in a safe, and this reconcile account sets their passwords. */
  reconciler?: Reconciler;
  /**
   * For a rotation that stopped with the old secret active: the user's next step, which completes the sentence "In 2 of
   * them …".
   */
  remainingTask?(rotation: Rotation): string | null;
  stop(): Promise<void>;
}
