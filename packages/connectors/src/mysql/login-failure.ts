// Interprets a failed MySQL or MariaDB login by its error number, because the driver uses the wrong names for MariaDB's
// numbers.
import { TooMuchData } from "../bounded-stream.ts";
import type { DatabaseAddress } from "../connection-string.ts";
import type { Failure } from "../connector.ts";
import { codeOf, connectionFailure, nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable, unsupported } from "../finding.ts";
import { tlsRefusal } from "../tls-failure.ts";
import { InsecurePassword } from "./session.ts";

export function loginFailure(error: unknown, address: DatabaseAddress, isEncrypted: boolean): Failure {
  const target = nameOf(address);
  if (error instanceof InsecurePassword || codeOf(error) === "MYSQL_CLEAR_PASSWORD_NOT_ENABLED") {
    return misconfigured(
      "insecure-authentication",
      `${target} asked for the password in a form that can be intercepted. The password was not sent. Enable SSL/TLS with a verified certificate.`,
    );
  }
  const errno = serverErrno(error);
  if (errno !== null) return serverFailure(errno, address, isEncrypted);
  switch (codeOf(error) ?? "") {
    case "HANDSHAKE_NO_SSL_SUPPORT":
      return tlsRefusal("not-offered", address);
    case "AUTH_SWITCH_PLUGIN_ERROR":
      return unsupported(
        `${target} requires an authentication method for ${address.username} that is not supported. Supported: mysql_native_password, caching_sha2_password and sha256_password.`,
      );
    case "PROTOCOL_CONNECTION_LOST":
    case "ECONNRESET":
    case "EPIPE":
      return connectionFailure(error, address);
    default:
      return error instanceof TooMuchData
        ? connectionFailure(error, address)
        : misconfigured("protocol-error", `${target} sent an invalid MySQL response. Check the port.`);
  }
}

/** The number in a server's error packet, or null for an error from the driver or the socket. */
export function serverErrno(error: unknown): number | null {
  if (error === null || typeof error !== "object" || !("errno" in error)) return null;
  return typeof error.errno === "number" && error.errno > 0 ? error.errno : null;
}

function serverFailure(errno: number, address: DatabaseAddress, isEncrypted: boolean): Failure {
  const target = nameOf(address);
  const { username, database } = address;
  switch (errno) {
    case 1045:
    case 1698: {
      const tlsHint = isEncrypted
        ? ""
        : " An account that requires TLS gets the same answer, and SSL/TLS is off in this entry.";
      return rejected(
        "wrong-password",
        `${target} did not accept the password for ${username}. Possible causes: wrong password, unknown user, or login not permitted from this machine.${tlsHint}`,
      );
    }
    case 4151: // MariaDB
    case 3118: // MySQL
    case 3955: // MySQL, locked for some days after failed logins
      return rejected("account-locked", `The account ${username} on ${target} is locked.`);
    case 1820:
      return rejected(
        "must-change",
        `The password of ${username} on ${target} is right, but has expired and must be changed before the account can be used.`,
      );
    case 1862:
      return rejected(
        "password-expired",
        `The password of ${username} on ${target} is right, but has expired. An administrator must set a new one.`,
      );
    case 1044:
      return misconfigured(
        "no-permission",
        `${username} has no permission for the database ${database} on ${target}, or the database does not exist. The password was accepted.`,
      );
    case 1049:
      return misconfigured(
        "no-such-database",
        `The database ${database} does not exist on ${target}. The password was accepted.`,
      );
    case 1129:
      return misconfigured(
        "no-permission",
        `${target} has blocked this machine after too many broken connections. Run FLUSH HOSTS there.`,
      );
    case 1130:
      return misconfigured("no-permission", `${target} has no account that can log in from this machine.`);
    case 3159:
      return misconfigured("tls-required", `${target} accepts encrypted connections only. Enable SSL/TLS.`);
    case 1040:
    case 1203:
    case 1226:
      return unreachable("too-many-connections", `${target} has no free connections for ${username}.`);
    case 1053:
    case 1077:
      return unreachable("not-ready", `${target} is starting or stopping.`);
    default:
      return unreachable("server-error", `${target} could not answer the login (error ${errno}).`);
  }
}
