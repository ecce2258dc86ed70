// Interprets a failed SQL Server login by its error numbers (sys.messages), never by its text.
import { TooMuchData } from "../bounded-stream.ts";
import type { DatabaseAddress } from "../connection-string.ts";
import type { Failure } from "../connector.ts";
import { codeOf, connectionFailure, nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import { tlsFailure, tlsRefusal } from "../tls-failure.ts";

/** `streamError` is the error that ended the connection below the driver, if any. */
export function loginFailure(
  error: unknown,
  streamError: Error | null,
  numbers: readonly number[],
  address: DatabaseAddress,
): Failure {
  // After an unavailable database the server also reports a refused login: the first known number counts.
  const knownFailure = numbers.map((number) => numberFailure(number, address)).find((failure) => failure !== null);
  if (knownFailure !== undefined) return knownFailure;
  const target = nameOf(address);
  if (numbers.length > 0)
    return unreachable("server-error", `${target} could not answer the login (error ${numbers[0]}).`);
  if (streamError instanceof TooMuchData) return connectionFailure(streamError, address);
  for (const cause of causesOf(error)) {
    if (codeOf(cause) === "EENCRYPT") return tlsRefusal("not-offered", address);
    const failure = tlsFailure(cause, address);
    if (failure !== null) return failure;
  }
  // The driver's own timeout can fire just before the attempt's.
  if (causesOf(error).some((cause) => codeOf(cause) === "ETIMEOUT"))
    return unreachable("timeout", `${target} did not answer the login in time.`);
  const socketError = causesOf(error).find((cause) =>
    ["ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE"].includes(codeOf(cause) ?? ""),
  );
  const isEnded =
    error instanceof Error && (error.message === "ended" || ["ESOCKET", "ECLOSE"].includes(codeOf(error) ?? ""));
  if (socketError !== undefined || isEnded) return connectionFailure(socketError, address);
  return misconfigured("protocol-error", `${target} sent an invalid SQL Server response. Check the port.`);
}

function numberFailure(number: number, address: DatabaseAddress): Failure | null {
  const [target, name] = [nameOf(address), address.username];
  switch (number) {
    case 4060:
    case 4064:
      return misconfigured(
        "no-such-database",
        `${name} cannot open the database${address.database === null ? "" : ` ${address.database}`} on ${target}. The password was accepted.`,
      );
    case 18486:
      return rejected("account-locked", `The login ${name} on ${target} is locked out.`);
    case 18470:
      return rejected("account-locked", `The login ${name} on ${target} is disabled.`);
    case 18487:
      return rejected("password-expired", `The password of ${name} on ${target} is right, but has expired.`);
    case 18488:
      return rejected("must-change", `The password of ${name} on ${target} is right, but must be changed first.`);
    case 18450:
    case 18452:
    case 18459:
      return misconfigured(
        "method-not-offered",
        `${target} accepts only Windows accounts, so the password of a SQL login cannot be verified.`,
      );
    case 17892:
      return misconfigured("no-permission", `A trigger on ${target} refuses ${name}. The password was accepted.`);
    case 40615:
      return misconfigured("no-permission", `The firewall of ${target} does not allow this machine.`);
    case 18401:
    case 18461:
    case 40613:
    case 40501:
      return unreachable("not-ready", `${target} is starting, being upgraded or too busy.`);
    case 10928:
    case 10929:
    case 17809:
      return unreachable("too-many-connections", `${target} has no free connections.`);
    case 18456:
      return rejected(
        "wrong-password",
        `${target} did not accept the password for ${name}. Either the password is wrong or the login does not exist.`,
      );
    default:
      return null;
  }
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let each = error; each instanceof Error && causes.length < 8; each = each.cause) causes.push(each);
  return causes;
}
