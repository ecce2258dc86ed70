// The types of one step of a rotation: its input, its result and the task that follows.
import type { Connector } from "@strongroom/connectors";
import type { Secret } from "@strongroom/keys";
import type { SecretRow } from "#features/secrets/index.ts";
import type { Result } from "#features/verification/index.ts";
import type { Journal, RotationEvent } from "../rotation.policy.ts";
import type { LineRow, RotationKind, RotationRow } from "../rotation.store.ts";
import type { Reconciler } from "./engine.store.ts";

/** A stored secret that is still sealed. */
export interface SealedSecret {
  version: number;
  envelope: Buffer;
}

/** A secret that was generated outside a transaction. */
export interface NewSecret {
  secret: Secret;
}

/** A login with a stored secret, for the list of attempts. */
export interface LoginRecord {
  version: number;
  result: Result;
  startedAt: Date;
}

/** The result of a task outside the database. */
export interface CompletedTask {
  event: RotationEvent;
  /** The connector's message. */
  detail: string | null;
  at: Date;
  login: LoginRecord | null;
}

export interface StepResult {
  journal: Journal;
  kind: RotationKind | null;
  lines: LineRow[];
  logins: LoginRecord[];
  /** Versions that were opened only to be compared with a new password. */
  compared: number[];
  /** Milliseconds until the next step; null: no pause. */
  pauseMs: number | null;
  /** The login that verified a version that was not active before. */
  proof: LoginRecord | null;
  /** The verified version was generated for this rotation; false for an earlier secret that is active again. */
  isNew: boolean;
  /** The rotation was cancelled before anything was sent. */
  isCancelled: boolean;
  /** The connector's message, more specific than the attention code. */
  detail: string | null;
}

export const stepOf = ({ journal, kind }: Pick<RotationRow, "journal" | "kind">): StepResult => ({
  journal,
  kind,
  lines: [],
  logins: [],
  compared: [],
  pauseMs: null,
  proof: null,
  isNew: true,
  isCancelled: false,
  detail: null,
});

/** A recorded task to perform outside the database. */
export type RotationTask = { secretRow: SecretRow; connector: Connector } & (
  | { do: "send"; by: "account"; current: SealedSecret; candidate: SealedSecret }
  | { do: "send"; by: "reconcile-account"; reconciler: Reconciler; candidate: SealedSecret }
  | { do: "probe"; secret: SealedSecret }
  | { do: "retire"; current: SealedSecret; retired: SealedSecret }
  | { do: "make-key"; current: SealedSecret }
  | { do: "issue"; current: SealedSecret }
);

export interface AdvanceResult {
  row: RotationRow;
  /** The task to perform; null when the lease is released. */
  task: RotationTask | null;
}
