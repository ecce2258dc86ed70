// Interprets a failed PostgreSQL login by SQLSTATE (PostgreSQL manual, appendix A), never by the server's text.
import pg from "pg";
import { TooMuchData } from "../bounded-stream.ts";
import type { DatabaseAddress } from "../connection-string.ts";
import type { Failure } from "../connector.ts";
import { codeOf, connectionFailure, nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import { InsecurePassword } from "./session.ts";

export function loginFailure(error: unknown, address: DatabaseAddress, isEncrypted: boolean): Failure {
  if (error instanceof InsecurePassword) {
    return misconfigured(
      "insecure-authentication",
      `${nameOf(address)} asked for the password in clear text, which needs SSL/TLS with a verified certificate. The password was not sent.`,
    );
  }
  if (error instanceof pg.DatabaseError && error.code !== undefined)
    return serverFailure(error.code, error.routine, address, isEncrypted);
  const isLost = codeOf(error) !== undefined || error instanceof TooMuchData || saysTerminated(error);
  if (isLost) return connectionFailure(error, address);
  return notProved(address);
}

/** Invalid bytes and a server that could not prove that it knows the password both mean that it is the wrong server. */
export function notProved(address: DatabaseAddress): Failure {
  return misconfigured(
    "protocol-error",
    `${nameOf(address)} sent an invalid PostgreSQL response, or could not prove that it knows the password. Check the host and port.`,
  );
}

/** The driver's own errors have no code; this is its text, not the server's. */
function saysTerminated(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Connection terminated");
}

function serverFailure(
  sqlState: string,
  routine: string | undefined,
  address: DatabaseAddress,
  isEncrypted: boolean,
): Failure {
  const target = nameOf(address);
  const { username } = address;
  const database = address.database ?? username;
  switch (sqlState) {
    case "28P01":
      return rejected(
        "wrong-password",
        `${target} did not accept the password for ${username}. Possible causes: wrong password, unknown role, or VALID UNTIL has passed.`,
      );
    case "28000":
      return notAuthorised(routine, address, isEncrypted);
    case "3D000":
      return misconfigured(
        "no-such-database",
        `The database ${database} does not exist on ${target}. The password was accepted.`,
      );
    case "42501":
      return misconfigured(
        "no-permission",
        `${username} has no permission to connect to the database ${database} on ${target}. The password was accepted.`,
      );
    case "53300":
      return unreachable("too-many-connections", `${target} has no free connections for ${username}.`);
    case "57P03":
      return unreachable("not-ready", `${target} is starting, stopping or recovering.`);
    case "57P01":
    case "57P02":
      return unreachable("not-ready", `${target} was shut down during the login.`);
    case "08P01":
    case "0A000":
      return misconfigured("protocol-error", `${target} rejected the protocol. Check that it is a PostgreSQL server.`);
    default:
      return unreachable(
        "server-error",
        `${target} could not answer the login${/^[0-9A-Z]{5}$/.test(sqlState) ? ` (SQLSTATE ${sqlState})` : ""}.`,
      );
  }
}

/** 28000 covers three refusals; the server's `routine` distinguishes them whatever the server's language. */
function notAuthorised(routine: string | undefined, address: DatabaseAddress, isEncrypted: boolean): Failure {
  const target = nameOf(address);
  if (routine === "InitializeSessionUserId") {
    return rejected(
      "account-locked",
      `${address.username} is not permitted to log in to ${target}: the role is NOLOGIN or does not exist.`,
    );
  }
  if (!isEncrypted) {
    return misconfigured(
      "tls-required",
      `${target} accepts ${address.username} from this machine only over TLS, or not at all (pg_hba.conf). Enable SSL/TLS, or add a rule there.`,
    );
  }
  return misconfigured(
    "no-permission",
    `${target} has no rule that lets ${address.username} log in from this machine (pg_hba.conf).`,
  );
}
