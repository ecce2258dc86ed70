// Short ways to say how an attempt ended.
import type {
  Facts,
  Failure,
  Finding,
  MisconfiguredCode,
  RejectedCode,
  TlsReason,
  UnreachableCode,
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

function withFacts(facts: Facts | undefined): { facts?: Facts } {
  return facts === undefined ? {} : { facts };
}
