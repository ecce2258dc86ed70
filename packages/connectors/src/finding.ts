// Constructors for the results of an attempt.
import type { ScanCommand } from "@strongroom/contract";
import {
  MAX_LISTED_ACCOUNTS,
  type ChangeFinding,
  type Facts,
  type Failure,
  type Finding,
  type ListFinding,
  type ListedAccount,
  type MisconfiguredCode,
  type RefusedCode,
  type RejectedCode,
  type TlsReason,
  type UnreachableCode,
} from "./connector.ts";

export const verified = (message: string, facts?: Facts): Finding => ({
  outcome: "verified",
  message,
  ...withFacts(facts),
});

export const rejected = (code: RejectedCode, message: string, facts?: Facts): Failure => ({
  outcome: "rejected",
  code,
  message,
  ...withFacts(facts),
});

export const unreachable = (code: UnreachableCode, message: string): Failure => ({
  outcome: "unreachable",
  code,
  message,
});

export const misconfigured = (code: MisconfiguredCode, message: string, facts?: Facts): Failure => ({
  outcome: "misconfigured",
  code,
  message,
  ...withFacts(facts),
});

export const tlsFailed = (reason: TlsReason, message: string): Failure => ({
  outcome: "misconfigured",
  code: "tls-failure",
  reason,
  message,
});

export const unsupported = (message: string): Failure => ({ outcome: "unsupported", message });

export const changed = (message: string, facts?: Facts): ChangeFinding => ({
  outcome: "changed",
  message,
  ...withFacts(facts),
});

export type NotChanged = Exclude<ChangeFinding, { outcome: "changed" }>;

export const refused = (code: RefusedCode, message: string): NotChanged => ({ outcome: "refused", code, message });

/** Nothing was sent, because a login failed. */
export const unsent = (failure: Failure): NotChanged => ({ outcome: "unsent", failure, message: failure.message });

export const unknown = (message: string): NotChanged => ({ outcome: "unknown", message });

/** The connection was lost, or the answer leaves open whether the secret changed. */
export const unanswered = (where: string): NotChanged =>
  unknown(`The change was sent to ${where}, but no clear response was received.`);

/** Turns the reason why a change would fail into the result of checking whether the change is possible. */
export function obstacleTo(change: NotChanged): Failure {
  if (change.outcome === "unsent") return change.failure;
  const { message } = change;
  const lacksRight = change.outcome === "refused" && change.code === "no-permission";
  return lacksRight ? rejected("no-permission", message) : misconfigured("bad-input", message);
}

export type ListedFinding = Extract<ListFinding, { outcome: "listed" }>;

/**
 * `accounts` may be longer than the limit: the rest is left out, and the message says so. `where` is the target's
 * name.
 */
export function listed(accounts: readonly ListedAccount[], where: string, facts?: Facts): ListedFinding {
  const kept = accounts.slice(0, MAX_LISTED_ACCOUNTS);
  const more = accounts.length > kept.length ? " There are more; only the first ones are listed." : "";
  const count = kept.length === 1 ? "1 account" : `${kept.length.toLocaleString("en")} accounts`;
  const message = `Found ${count} on ${where}.${more}`;
  return { outcome: "listed", accounts: kept, message, isComplete: more === "", ...withFacts(facts) };
}

/** One command or query of a list: `count` is null if it failed or was not allowed. */
export function listCommand(command: string, count: number | null, noun: string, problem = NOT_ANSWERED): ScanCommand {
  return {
    command,
    success: count !== null,
    exitCode: null,
    output: count === null ? "" : `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`,
    error: count === null ? problem : "",
  };
}

/** `listed`, for systems that answer one command or query with all accounts. */
export function listedBy(command: string, accounts: readonly ListedAccount[], where: string): ListedFinding {
  return { ...listed(accounts, where), commands: [listCommand(command, accounts.length, "account")] };
}

const NOT_ANSWERED = "The login has no permission, or the target did not answer.";

function withFacts(facts: Facts | undefined): { facts?: Facts } {
  return facts === undefined ? {} : { facts };
}
