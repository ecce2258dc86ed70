// Interprets AWS errors by their codes, never by their text.
import type { Failure } from "../connector.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import type { AwsAccess } from "./access-key.ts";
import { NoAnswer } from "../http-over-stream.ts";

/** `code` is AWS's, `status` the HTTP status; null without a readable response. */
export function errorOf(error: unknown): { code: string; status: number } | null {
  if (error === null || typeof error !== "object" || error instanceof NoAnswer) return null;
  const { name, $metadata } = error as { name?: unknown; $metadata?: { httpStatusCode?: unknown } };
  const status = $metadata?.httpStatusCode;
  return typeof name === "string" && typeof status === "number" ? { code: name, status } : null;
}

/** The failure of a call that changes nothing. */
export function failureOf(error: unknown, access: AwsAccess): Failure {
  if (error instanceof NoAnswer) return error.failure;
  const answer = errorOf(error);
  const key = `the access key ${access.key.id}`;
  switch (answer?.code) {
    case "InvalidClientTokenId":
    case "InvalidAccessKeyId":
    case "UnrecognizedClientException":
      return rejected("wrong-password", `AWS does not recognise ${key}: it was deleted or is inactive.`);
    case "SignatureDoesNotMatch":
      return rejected(
        "wrong-password",
        `AWS rejected the signature of ${key}: the secret or this machine's clock is wrong.`,
      );
    case "RequestExpired":
    case "RequestTimeTooSkewed":
      return misconfigured("protocol-error", "AWS rejected the request as too old. Check the clock of this machine.");
    case "AccessDenied":
    case "AccessDeniedException":
    case "OptInRequired":
      return rejected("no-permission", `AWS accepted ${key}, but its user has no permission for this.`);
    case "Throttling":
    case "ThrottlingException":
    case "TooManyRequestsException":
      return unreachable("rate-limited", "AWS is throttling requests. Try again later.");
    default:
      return answer !== null && answer.status >= 500
        ? unreachable("server-error", `AWS failed with a server error (status ${answer.status}).`)
        : misconfigured("protocol-error", 'The response is not from AWS. Check the additional parameter "endpoint".');
  }
}
