// What is struck: a system, its accounts, and what is special about them.
import type { openGround } from "./ground.ts";
import type { needs } from "@strongroom/connectors/testing";
import type { ConnectionMethod, InputOf, Rotation, SystemType, createCredential } from "@strongroom/contract";

type Body = NonNullable<InputOf<typeof createCredential>["body"]>;

/** A credential of an account that exists on the system; its address is said by whoever stores it. */
export type AccountBody = Omit<Body, "name" | "host" | "port"> & { username: string; value: string };

/** As what an account in a safe is stored. */
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
  /** Of the server. */
  version: string;
  upstream: { host: string; port: number };
  /** A new account. */
  account(): Promise<AccountBody>;
  /** Where secrets are changed at another port than people log in at: the one to log in at. `upstream` is the other. */
  login?: { host: string; port: number };
  /** What is stored otherwise for an account whose `upstream` is reached through a proxy there. */
  through?(body: AccountBody, proxy: { host: string; port: number }): Partial<AccountBody> & { port?: number };
  /** The old secret goes on being accepted for a while, by itself. */
  isOldAccepted?: boolean;
  /** What each connection of a rotation is for, where it is not the change, the proof and the end of the old one. */
  connections?: readonly string[];
  /** The accounts are in a safe, and this one sets their passwords. */
  reconciler?: Reconciler;
  /** Of a rotation that stopped with the old secret in force: what a person has to do, as the end of "In 2 of them …". */
  leftToDo?(rotation: Rotation): string | null;
  stop(): Promise<void>;
}

export interface Kind {
  /** To choose it by. */
  name: string;
  needs: ReturnType<typeof needs>;
  /** `machines`: the addresses under which it will be asked, for its certificate. */
  start(machines: readonly string[]): Promise<Subject>;
  /** Where something else than the change itself is struck. */
  ground?: typeof openGround;
}
