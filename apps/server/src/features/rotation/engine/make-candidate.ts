// Generates a secret that differs from earlier ones, by the platform's rules and the target's limits, and stores it before
// it is sent to the target.
import type { Connector, PasswordLimits } from "@strongroom/connectors";
import type { PasswordRules } from "@strongroom/contract";
import { EnvelopeError, KekError, Secret, sealSecret } from "@strongroom/keys";
import { randomInt } from "node:crypto";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { ENVELOPE_PURPOSE, insertCandidate, keyOfOwner, openEnvelope } from "#features/secrets/index.ts";
import type { RotationEvent } from "../rotation.policy.ts";
import type { RotationRow } from "../rotation.store.ts";
import type { RotationSnapshot } from "./engine.store.ts";
import type { NewSecret, SealedSecret, StepResult } from "./step.ts";

export interface CandidateContext {
  row: RotationRow;
  stepResult: StepResult;
  snapshot: RotationSnapshot;
  at: Date;
  made: NewSecret | null;
}

/** Stores a sealed candidate, or returns the task that generates one outside the transaction. */
export async function storeCandidate(
  kernel: Kernel,
  tx: Tx,
  { stepResult, snapshot, made, at, row }: CandidateContext,
  connector: Connector,
): Promise<RotationEvent | "make-key" | "issue"> {
  const secretRow = snapshot.secretRow!;
  if (made === null && connector.issue !== undefined) {
    stepResult.kind = "issued";
    return "issue";
  }
  const chosen = made?.secret ?? (await choose(kernel, snapshot, stepResult, connector).catch(unreadable));
  if (chosen === "unreadable") return { kind: "gave-up", code: "misconfigured" };
  if (chosen === "make-key") return chosen;
  if (chosen === null) return { kind: "gave-up", code: "password-rules" };
  using secret = chosen;
  const version = (snapshot.versions[0]?.version ?? 0) + 1;
  const kek = await kernel.keys.kekFor(keyOfOwner(secretRow));
  const context = { purpose: ENVELOPE_PURPOSE, recordId: secretRow.id, version };
  const envelope = sealSecret(kek, context, secret);
  const created_by = row.asked_by?.id ?? null;
  await insertCandidate(tx, { credential_id: secretRow.id, version, envelope, created_at: at, created_by });
  snapshot.versions.unshift({ version, envelope, is_candidate: true, created_at: at });
  return { kind: "stored", version };
}

const IS_KEY = /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
/** Far more attempts than it ever takes to find an unused password by chance. */
const MOST_CHOICES = 20;

/** Returns a password that differs from the earlier ones; null when the rules allow none. */
async function choose(
  kernel: Kernel,
  snapshot: RotationSnapshot,
  stepResult: StepResult,
  connector: Connector,
): Promise<Secret | "make-key" | null> {
  const { id, user_id, safe_id } = snapshot.secretRow!;
  const rules = snapshot.password_rules ?? DEFAULT_RULES;
  const differing: SealedSecret[] = snapshot.versions.slice(0, Math.max(1, rules.history));
  const current = versionIn(snapshot, stepResult.journal.old);
  if (!differing.includes(current)) differing.push(current);
  const earlier = new Set<string>();
  for (const { version, envelope } of differing) {
    stepResult.compared.push(version);
    using secret = await openEnvelope(kernel, { id, user_id, safe_id, version, envelope });
    const text = textOf(secret);
    if (version === stepResult.journal.old && IS_KEY.test(text ?? "") && connector.newSecret !== undefined) {
      stepResult.kind = "key";
      return "make-key";
    }
    if (text !== null) earlier.add(text);
  }
  stepResult.kind = "password";
  for (let choice = 0; choice < MOST_CHOICES; choice++) {
    const password = generatePassword(rules, connector.passwordLimits);
    if (password === null) return null;
    if (!earlier.has(password)) return Secret.fromText(password);
  }
  return null;
}

/** A stored secret that cannot be opened now will not open later either, so a user must look at it. */
function unreadable(error: unknown): "unreadable" {
  if (error instanceof EnvelopeError || error instanceof KekError) return "unreadable";
  throw error;
}

/** Returns null when the secret is not text. */
function textOf(secret: Secret): string | null {
  try {
    return secret.reveal();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function versionIn({ versions }: RotationSnapshot, version: number): SealedSecret {
  const found = versions.find((each) => each.version === version);
  // INVARIANT: no version of a secret is removed while its row exists.
  if (found === undefined) throw new Error(`version ${version} of a secret no longer exists`);
  return found;
}

/** The password rules for secrets without a platform. */
export const DEFAULT_RULES: PasswordRules = {
  length: 24,
  max_length: 64,
  min_lowercase: 1,
  min_uppercase: 1,
  min_digits: 1,
  min_symbols: 1,
  symbols: "!#%+-.:=@_~",
  forbidden_characters: "",
  begins_with_letter: true,
  history: 5,
};

const LOWERCASE = "abcdefghijklmnopqrstuvwxyz";
const UPPERCASE = LOWERCASE.toUpperCase();
const DIGITS = "0123456789";

/** Returns an integer from 0 to `below` - 1. */
export type RandomIndex = (below: number) => number;

/**
 * Returns a password that meets every rule and the target's limits; null when none exists. Both the characters that
 * the rules require and their positions are random.
 */
export function generatePassword(
  rules: PasswordRules,
  limits: PasswordLimits = {},
  pick: RandomIndex = randomInt,
): string | null {
  const length = Math.min(rules.length, rules.max_length, limits.maxLength ?? Infinity);
  const forbidden = new Set([...rules.forbidden_characters, ...(limits.forbidden ?? "")]);
  const without = (characters: string) => [...new Set(characters)].filter((each) => !forbidden.has(each));
  const [lower, upper, digits, symbols] = [
    without(LOWERCASE),
    without(UPPERCASE),
    without(DIGITS),
    without(rules.symbols),
  ];
  const all = [...lower, ...upper, ...digits, ...symbols];
  const asked = [
    ...times(rules.min_lowercase, lower),
    ...times(rules.min_uppercase, upper),
    ...times(rules.min_digits, digits),
    ...times(rules.min_symbols, symbols),
  ];
  if (asked.length > length) return null;
  const places = shuffled([...asked, ...times(length - asked.length, all)], pick);
  if (rules.begins_with_letter && !letterFirst(places, lower, upper, all, pick)) return null;
  if (places.some((characters) => characters.length === 0)) return null;
  return places.map((characters) => characters[pick(characters.length)]!).join("");
}

type Characters = readonly string[];

const times = (count: number, characters: Characters): Characters[] => Array.from({ length: count }, () => characters);

/** Moves a position that may hold a letter to the front. Returns false if there is no such position. */
function letterFirst(
  places: Characters[],
  lower: Characters,
  upper: Characters,
  all: Characters,
  pick: RandomIndex,
): boolean {
  const possible = [...places.keys()].filter((at) => [lower, upper, all].includes(places[at]!));
  if (possible.length === 0) return false;
  const at = possible[pick(possible.length)]!;
  const chosen = places[at]!;
  places[at] = places[0]!;
  places[0] = chosen === all ? [...lower, ...upper] : chosen;
  return true;
}

/** Fisher–Yates shuffle. */
function shuffled<T>(items: T[], pick: RandomIndex): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = pick(last + 1);
    [items[last], items[other]] = [items[other]!, items[last]!];
  }
  return items;
}
