// What AWS says no with, by the codes of its errors and never by its words.
import type { Failure } from "../connector.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import type { Place } from "./access-key.ts";
import { NoAnswer } from "./session.ts";

/** `code` is AWS's, `status` that of HTTP; null when there was no answer that could be read. */
export function errorOf(error: unknown): { code: string; status: number } | null {
  if (error === null || typeof error !== "object" || error instanceof NoAnswer) return null;
  const { name, $metadata } = error as { name?: unknown; $metadata?: { httpStatusCode?: unknown } };
  const status = $metadata?.httpStatusCode;
  return typeof name === "string" && typeof status === "number" ? { code: name, status } : null;
}

/** Why a call that changes nothing did not succeed. */
export function failureOf(error: unknown, place: Place): Failure {
  if (error instanceof NoAnswer) return error.failure;
  const answer = errorOf(error);
  const key = `the access key ${place.key.id}`;
  switch (answer?.code) {
    case "InvalidClientTokenId":
    case "UnrecognizedClientException":
      return rejected("wrong-password", `AWS does not know ${key}: it was deleted, or is inactive.`);
    case "SignatureDoesNotMatch":
      return rejected(
        "wrong-password",
        `AWS did not accept the signature of ${key}: the secret is wrong, or the clock of this machine is.`,
      );
    case "RequestExpired":
    case "RequestTimeTooSkewed":
      return misconfigured("protocol-error", "AWS found the request too old: check the clock of this machine.");
    case "AccessDenied":
    case "AccessDeniedException":
    case "OptInRequired":
      return rejected("no-permission", `AWS accepted ${key}, but its user may not do this.`);
    case "Throttling":
    case "ThrottlingException":
    case "TooManyRequestsException":
      return unreachable("rate-limited", "AWS takes no more requests for now.");
    default:
      return answer !== null && answer.status >= 500
        ? unreachable("server-error", `AWS failed by itself (status ${answer.status}).`)
        : misconfigured(
            "protocol-error",
            "The other side does not answer as AWS does. Check the additional parameter endpoint.",
          );
  }
}
