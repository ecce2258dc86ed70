// Makes guessing slow without locking anybody out: each attempt is counted before it is looked at, and paid back if it was right.
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { refuse } from "#kernel/http/refuse.ts";
import {
  AT_ANY_TIME,
  forgetAttempts,
  isKnownNetwork,
  keepNetwork,
  lockAttempts,
  writeAttempts,
} from "./attempts.store.ts";
import type { AttemptsRow } from "./attempts.store.ts";
import { fingerprintAddress } from "./fingerprint-address.ts";
import { ATTEMPT_KINDS, isForgotten, waitAfter } from "./sign-in.policy.ts";
import type { AttemptKind } from "./sign-in.policy.ts";

/** Who tries, and from where. Addresses that nobody has are slowed down in the same way: `userId` is null then. */
export interface Claim {
  email: string;
  userId: string | null;
  /** As `clientKey` gives it: an IPv4 address, or an IPv6 /64. */
  network: string;
}

/** An attempt that was let through and counts as failed until it is paid back. */
export interface Attempt {
  claim: Claim;
  counted: readonly { key: string; failures: number }[];
}

/**
 * Counts an attempt before anything is compared, so that many at once are no way around it. Throws 429 with
 * `retryAfter` when it comes too early; such an attempt counts nothing.
 *
 * INVARIANT: on a network where a person has signed in before, only attempts from that network slow them down, and
 * attempts on other people there by at most half a minute. Each address that fails adds to its network's count, whether or not
 * it exists: trying one password on many people slows the network down.
 */
export async function admitAttempt(kernel: Kernel, claim: Claim): Promise<Attempt> {
  const outcome = await counted(kernel, claim, true);
  if (outcome.attempt === undefined) throw tooEarly(Math.ceil(outcome.wait / 1000));
  return outcome.attempt;
}

/**
 * The same for what several names stand for, beside the attempt of the name that was typed. Null when it comes too early: nothing
 * may be compared then, and the answer is that of a wrong password, because another one would tell that two names are one person.
 */
export async function admitGuess(kernel: Kernel, claim: Claim): Promise<Attempt | null> {
  return (await counted(kernel, claim, false)).attempt ?? null;
}

type Outcome = { attempt: Attempt; wait?: never } | { attempt?: never; wait: number };

async function counted(kernel: Kernel, claim: Claim, isByNetwork: boolean): Promise<Outcome> {
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
    return { attempt: { claim, counted } };
  });
}

/**
 * For a person on a network where they have signed in before. The network counts each of them once, however often they
 * mistype, and no longer once they have signed in.
 */
const keysOfKnown = (account: string, network: string, isByNetwork: boolean): string[] => [
  pairKey(account, network),
  ...(isByNetwork ? [`network:${network}`, `spread:${network}`, `tried:${account}:${network}`] : []),
];

const isShared = ({ key }: Pick<AttemptsRow, "key">): boolean => ["network", "spread"].includes(kindOf(key));

/** Pays an attempt back in the transaction of its success, and remembers that this person signs in from this network. */
export async function rewardAttempt(tx: Tx, attempt: Attempt, userId: string, now: Date): Promise<void> {
  await rewardGuess(tx, attempt, now);
  await keepNetwork(tx, userId, attempt.claim.network, now);
}

/** Undoes the count of a correct guess, and clears the person's earlier failures on a network where they are known. */
export async function rewardGuess(tx: Tx, attempt: Attempt, now: Date): Promise<void> {
  await settle(tx, attempt, now, true);
  for (const { key } of attempt.counted) {
    if (kindOf(key) === "pair" || kindOf(key) === "tried") await forgetAttempts(tx, key);
  }
}

/** Lets a person start afresh on a network where they have just proved themselves by other means. */
export async function trustNetwork(kernel: Kernel, tx: Tx, claim: Claim & { userId: string }): Promise<void> {
  await forgetAttempts(tx, pairKey(await fingerprintAddress(kernel, claim.email), claim.network));
  await keepNetwork(tx, claim.userId, claim.network, kernel.clock.now());
}

export const accountKey = (account: string): string => `account:${account}`;
export const pairKey = (account: string, network: string): string => `pair:${account}:${network}`;

/** Takes back an attempt that was never looked at, because too many others were waiting. */
export async function withdrawAttempt(kernel: Kernel, attempt: Attempt): Promise<void> {
  await kernel.database.transaction((tx) => settleAttempt(tx, attempt, kernel.clock.now()));
}

/** Only the attempt itself is paid back: whoever has an account of their own cannot use it to clear a network's count. */
export const settleAttempt = (tx: Tx, attempt: Attempt, now: Date): Promise<void> => settle(tx, attempt, now, false);

async function settle(tx: Tx, attempt: Attempt, now: Date, isRight: boolean): Promise<void> {
  const keys = attempt.counted.map((each) => each.key);
  const rows = (await lockAttempts(tx, keys, now)).map((row) => asOf(row, now));
  const tried = rows.find(({ key }) => kindOf(key) === "tried");
  // INVARIANT: one person's contribution to a network's count is removed once, with the last of their failures there.
  const isLast = tried === undefined || (isRight ? tried.failures > 0 : tried.failures === 1);
  for (const [place, row] of rows.entries()) {
    if (isShared(row) && !isLast) continue;
    const wasTheLast = row.failures === attempt.counted[place]?.failures;
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
  if (kind === undefined) throw new Error("a counter of attempts has no known kind");
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
