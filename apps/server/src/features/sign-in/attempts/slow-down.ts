// Slows down guessing without locking anyone out: each attempt is counted before the comparison, and a correct one is removed
// from the count.
import type { Tx } from "#kernel/db/database.ts";
import { notifyOf } from "#features/notifications/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { refuse } from "#kernel/http/refuse.ts";
import {
  AT_ANY_TIME,
  deleteAttempts,
  isKnownNetwork,
  saveNetwork,
  lockAttempts,
  noteAlert,
  writeAttempts,
} from "./attempts.store.ts";
import type { AttemptsRow } from "./attempts.store.ts";
import type { SignInKernel } from "../context.ts";
import { fingerprintAddress } from "../fingerprint-address.ts";
import { ALERT_EVERY, ATTEMPT_KINDS, isAlarming, isForgotten, waitAfter } from "../sign-in.policy.ts";
import type { AttemptKind } from "../sign-in.policy.ts";

/** The user and network of an attempt. `userId` is null for an unknown address, which is slowed down in the same way. */
export interface AttemptClaim {
  email: string;
  userId: string | null;
  /** From `clientKey`: an IPv4 address, or an IPv6 /64. */
  network: string;
}

/** An admitted attempt. It counts as failed until its count is undone. */
export interface Attempt {
  claim: AttemptClaim;
  counted: readonly { key: string; failures: number }[];
}

/**
 * Counts the attempt before comparing anything, so that concurrent attempts cannot bypass the limit. Throws 429 with `retryAfter`
 * when the attempt comes too early; such an attempt is not counted.
 *
 * INVARIANT: on a network where a user has signed in before, only attempts from that network delay them, and attempts on other
 * users there delay them by at most 30 seconds. Every address with a failed attempt adds to its network's count, whether or not
 * the address exists, so trying one password on many users slows the network down.
 */
export async function admitAttempt(kernel: SignInKernel, claim: AttemptClaim): Promise<Attempt> {
  const outcome = await counted(kernel, claim, true);
  if (outcome.attempt === undefined) throw tooEarly(Math.ceil(outcome.wait / 1000));
  return outcome.attempt;
}

/**
 * Counts an attempt against a user who is identified by several names, in addition to the attempt on the typed name.
 * Returns null when the attempt comes too early. The caller must then compare nothing and reply as for a wrong
 * password, because a different reply would reveal that two names belong to one user.
 */
export async function admitGuess(kernel: SignInKernel, claim: AttemptClaim): Promise<Attempt | null> {
  return (await counted(kernel, claim, false)).attempt ?? null;
}

type Outcome = { attempt: Attempt; wait?: never } | { attempt?: never; wait: number };

async function counted(kernel: SignInKernel, claim: AttemptClaim, isByNetwork: boolean): Promise<Outcome> {
  const account = await fingerprintAddress(kernel, claim.email);
  const now = kernel.clock.now();
  return kernel.database.transaction(async (tx): Promise<Outcome> => {
    const isKnown = await isKnownNetwork(tx, claim.userId, claim.network);
    const shared = isByNetwork ? [`network:${claim.network}`] : [];
    const keys = isKnown ? keysOfKnown(account, claim.network, isByNetwork) : [accountKey(account), ...shared];
    const rows = (await lockAttempts(tx, keys, now)).map((row) => asOf(row, now));
    const gates = isKnown ? rows.filter(({ key }) => kindOf(key) !== "network") : rows;
    const wait = Math.max(...gates.map((row) => row.retry_at.getTime())) - now.getTime();
    if (wait > 0) return { wait };
    const isRepeated = (rows.find(({ key }) => kindOf(key) === "tried")?.failures ?? 0) > 0;
    const counted = rows.map((row) => (isRepeated && isShared(row) ? row : countOne(row, now)));
    for (const row of counted) await writeAttempts(tx, row);
    if (counted.some(({ key, failures }) => isAlarming(kindOf(key), failures))) {
      await alert(kernel, tx, claim.network, now);
    }
    return { attempt: { claim, counted } };
  });
}

async function alert(kernel: SignInKernel, tx: Tx, network: string, now: Date): Promise<void> {
  if (!(await noteAlert(tx, network, now, new Date(now.getTime() - ALERT_EVERY)))) return;
  const note = { result: "info", severity: "high", details: { network } } as const;
  await appendAudit(tx, [systemEntry("sign-in.spraying-suspected", "sign-in", note, now)]);
  await notifyOf(kernel)(tx, {
    to: { users: [], roles: ["admin"] },
    type: "security_alert",
    title: "Many failed sign-ins from one network",
    message: `More than 30 sign-ins from ${network} failed within an hour. This may be password spraying. Further attempts from there are delayed. Check the failed sign-ins in the audit trail, and block the network if it is not yours.`,
    severity: "high",
    actionRequired: false,
    metadata: { network },
    link: "/audit-logs",
    dedupeKey: `spraying:${network}`,
  });
}

/**
 * The counters for a user on a network where they have signed in before. Such a user adds one to the network's count,
 * however often they mistype, until they sign in.
 */
const keysOfKnown = (account: string, network: string, isByNetwork: boolean): string[] => [
  pairKey(account, network),
  ...(isByNetwork ? [`network:${network}`, `spread:${network}`, `tried:${account}:${network}`] : []),
];

const isShared = ({ key }: Pick<AttemptsRow, "key">): boolean => ["network", "spread"].includes(kindOf(key));

/**
 * Undoes the count of a successful attempt, in its transaction, and records that this user signs in from this network.
 */
export async function undoAttemptCount(tx: Tx, attempt: Attempt, userId: string, now: Date): Promise<void> {
  await undoGuessCount(tx, attempt, now);
  await saveNetwork(tx, userId, attempt.claim.network, now);
}

/** Undoes the count of a correct guess, and clears the user's earlier failures on a network where they are known. */
export async function undoGuessCount(tx: Tx, attempt: Attempt, now: Date): Promise<void> {
  await settle(tx, attempt, now, true);
  for (const { key } of attempt.counted) {
    if (kindOf(key) === "pair" || kindOf(key) === "tried") await deleteAttempts(tx, key);
  }
}

/** Clears a user's failures on a network where they have just proved their identity by other means. */
export async function trustNetwork(
  kernel: SignInKernel,
  tx: Tx,
  claim: AttemptClaim & { userId: string },
): Promise<void> {
  await deleteAttempts(tx, pairKey(await fingerprintAddress(kernel, claim.email), claim.network));
  await saveNetwork(tx, claim.userId, claim.network, kernel.clock.now());
}

export const accountKey = (account: string): string => `account:${account}`;
export const pairKey = (account: string, network: string): string => `pair:${account}:${network}`;

/** Undoes the count of an attempt that was never compared because too many others were waiting. */
export async function withdrawAttempt(kernel: SignInKernel, attempt: Attempt): Promise<void> {
  await kernel.database.transaction((tx) => settleAttempt(tx, attempt, kernel.clock.now()));
}

/** Undoes only the attempt itself, so that a user cannot clear a network's count with their own account. */
export const settleAttempt = (tx: Tx, attempt: Attempt, now: Date): Promise<void> => settle(tx, attempt, now, false);

async function settle(tx: Tx, attempt: Attempt, now: Date, isRight: boolean): Promise<void> {
  const keys = attempt.counted.map((each) => each.key);
  const rows = (await lockAttempts(tx, keys, now)).map((row) => asOf(row, now));
  const tried = rows.find(({ key }) => kindOf(key) === "tried");
  // INVARIANT: a user's contribution to a network's count is removed once, with the last of their failures there.
  const isLast = tried === undefined || (isRight ? tried.failures > 0 : tried.failures === 1);
  for (const [index, row] of rows.entries()) {
    if (isShared(row) && !isLast) continue;
    const wasTheLast = row.failures === attempt.counted[index]?.failures;
    const failures = Math.max(0, row.failures - 1);
    await writeAttempts(tx, { ...row, failures, retry_at: wasTheLast ? AT_ANY_TIME : row.retry_at });
  }
}

function countOne(row: AttemptsRow, now: Date): AttemptsRow {
  const failures = row.failures + 1;
  const wait = waitAfter(kindOf(row.key), failures);
  const retryAt = wait === 0 ? AT_ANY_TIME : new Date(now.getTime() + wait);
  return { key: row.key, failures, failed_at: now, retry_at: retryAt };
}

const asOf = (row: AttemptsRow, now: Date): AttemptsRow =>
  isForgotten(kindOf(row.key), row.failed_at, now) ? { ...row, failures: 0, retry_at: AT_ANY_TIME } : row;

function kindOf(key: string): AttemptKind {
  const kind = ATTEMPT_KINDS.find((each) => key.startsWith(`${each}:`));
  if (kind === undefined) throw new Error("an attempt counter has an unknown kind");
  return kind;
}

const tooEarly = (seconds: number) =>
  refuse(429, "sign-in.slowed-down", `Too many attempts. Please try again in ${inWords(seconds)}.`, {
    retryAfter: seconds,
  });

function inWords(seconds: number): string {
  if (seconds === 1) return "1 second";
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
