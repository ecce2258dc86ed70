// One turn of a rotation: what has happened since the last one, and what is to be done next. No statement is sent here.
import { canChange, connectorFor } from "@strongroom/connectors";
import type { Connector } from "@strongroom/connectors";
import type { CredentialRow } from "#features/credentials/index.ts";
import { loginTargetOf } from "#features/verification/index.ts";
import type { Result } from "#features/verification/index.ts";
import { outOfReach } from "./reach.policy.ts";
import { after, backOff, nextAct } from "./rotation.policy.ts";
import type { Act, Happening, Journal, Means } from "./rotation.policy.ts";
import type { Kind, LineRow, RotationRow } from "./rotation.store.ts";
import type { Facts } from "./sight.store.ts";
import { lineOf } from "./words.ts";

/** A login with a stored secret, for the record of attempts. */
export interface Login {
  version: number;
  result: Result;
  startedAt: Date;
}

/** Something that happened outside of the database. */
export interface Done {
  happening: Happening;
  /** The connector's sentence. */
  said: string | null;
  at: Date;
  login: Login | null;
}

export interface Turn {
  journal: Journal;
  kind: Kind | null;
  lines: LineRow[];
  logins: Login[];
  /** The versions that were opened only to be compared with a new password. */
  compared: number[];
  /** Milliseconds until it goes on; null: it goes on now. */
  pauseMs: number | null;
  /** The login that proved a version which was not in force. */
  proof: Login | null;
  /** It was made up for this rotation, and is no earlier one that is in force again. */
  isNew: boolean;
  /** Given up before anything was sent. */
  isCancelled: boolean;
  /** Finer than the attention code, in the connector's words. */
  said: string | null;
}

export const turnOf = ({ journal, kind }: Pick<RotationRow, "journal" | "kind">): Turn => ({
  journal,
  kind,
  lines: [],
  logins: [],
  compared: [],
  pauseMs: null,
  proof: null,
  isNew: true,
  isCancelled: false,
  said: null,
});

export function connectorOf(credential: CredentialRow): Connector {
  return connectorFor(loginTargetOf(credential));
}

export function meansOf(
  connector: Connector,
  { reconciler }: Pick<Facts, "reconciler">,
  kind: Kind | null,
  credential: CredentialRow,
): Means {
  const mayReconcile =
    reconciler !== null && !reconciler.is_refused && outOfReach(credential, reconciler.reach) === null;
  return {
    canChange: canChange(connector),
    canReconcile: connector.reconcile !== undefined && mayReconcile && kind !== "issued",
    mustRetire: connector.retire !== undefined && kind !== "password",
  };
}

/** After every stored secret was refused: as long as a change may still be on its way. */
const LOOK_AGAIN_MS = 30_000;

/** Takes down what happened. */
export function note(turn: Turn, { happening, said, at, login }: Done): void {
  const before = turn.journal;
  const now = after(before, happening);
  turn.journal = now;
  turn.lines.push({ at, step: now.step, message: lineOf(happening, said) });
  if (login !== null) turn.logins.push(login);
  if (said !== null) turn.said = said;
  if (happening.kind === "probed" && happening.says === "live" && happening.version !== before.old) turn.proof = login;
  turn.pauseMs = pauseAfter(before, now, happening) ?? turn.pauseMs;
}

function pauseAfter(before: Journal, now: Journal, happening: Happening): number | null {
  if (now.stalls > before.stalls) return backOff(now.stalls - 1);
  if (now.refusals > before.refusals) return backOff(now.refusals - 1);
  if (happening.kind === "looks-again") return LOOK_AGAIN_MS;
  // What was sent had no effect, or not yet: a moment for what may come through late.
  return happening.kind === "probed" && happening.says === "live" && now.step === "stored"
    ? backOff(now.tries - 1)
    : null;
}

/** What comes next; null: nothing now. What needs nothing from outside is noted on the way. */
export function next(turn: Turn, means: Means, isReconcilerRefused: boolean, at: Date): Act | null {
  while (turn.pauseMs === null) {
    const act = nextAct(turn.journal, means);
    if (act === null) return null;
    const happening = atOnce(act, isReconcilerRefused);
    if (happening === null) return act;
    note(turn, { happening, said: null, at, login: null });
  }
  return null;
}

function atOnce(act: Act, isReconcilerRefused: boolean): Happening | null {
  if (act.do === "look-again") return { kind: "looks-again" };
  if (act.do === "end") return { kind: "retired" };
  if (act.do !== "give-up") return null;
  // There is one that could, and it has to be put right first.
  const code = act.code === "cannot-change" && isReconcilerRefused ? "reconcile-refused" : act.code;
  return { kind: "gave-up", code };
}
