// Interprets Oracle's error numbers for logins and changes; other text is used only to find the number.
import type { DatabaseAddress } from "../connection-string.ts";
import type { ChangeFinding, Failure } from "../connector.ts";
import { codeOf, nameOf } from "../dial.ts";
import { misconfigured, refused, rejected, unknown, unreachable } from "../finding.ts";

/**
 * The number of `ORA-01017`, or minus that of the driver's `NJS-518`; null without either. When the driver replaces
 * Oracle's number with its own (the connection ended with the error, or the listener refused it), Oracle's counts.
 */
export function numberOf(error: unknown): number | null {
  const { errorNum, message } = (error ?? {}) as { errorNum?: unknown; message?: unknown };
  if (typeof errorNum === "number" && errorNum > 0) return errorNum;
  const [, family, digits] = /^(ORA|NJS)-(\d{3,5})$/.exec(codeOf(error) ?? "") ?? [];
  if (digits === undefined) return null;
  if (family === "ORA") return Number(digits);
  const [, refused] = digits === REFUSED ? (/Cause: ORA-(\d{1,5})$/.exec(String(message)) ?? []) : [];
  return refused === undefined ? -Number(digits) : Number(refused);
}

/** The driver's number for a listener's refusal with one of Oracle's. */
const REFUSED = "511";

/** Null for a number that is not about a login: then the connection's failure counts. */
export function loginFailure(number: number | null, address: DatabaseAddress): Failure | null {
  const [target, name] = [nameOf(address), address.username];
  switch (number) {
    case 1017:
      return rejected(
        "wrong-password",
        `${target} did not accept the password for ${name}. Either the password is wrong or the user does not exist.`,
      );
    case 28000:
      return rejected("account-locked", `The user ${name} on ${target} is locked.`);
    case 28001:
      return rejected("password-expired", `The password of ${name} on ${target} is right, but has expired.`);
    case 1045:
      return misconfigured(
        "no-permission",
        `${name} has no permission to open a session on ${target} (CREATE SESSION). The password was accepted.`,
      );
    case 28009:
      return misconfigured(
        "method-not-offered",
        `${name} can connect to ${target} only as SYSDBA or SYSOPER, which is not supported.`,
      );
    case 28040:
    case -116:
    case -138:
      return misconfigured(
        "method-not-offered",
        `${target} has no supported login method for ${name}: it is older than 12.1, or the password has only an old verifier.`,
      );
    case 12650:
    case 12660:
    case -533:
      return misconfigured(
        "tls-required",
        `${target} requires Oracle's own encryption, which is not supported. Use TLS (TCPS).`,
      );
    case 12505:
    case 12514:
    case -518:
    case -519:
      return misconfigured(
        "no-such-database",
        `The listener on ${target} has no service ${address.database ?? ""}. Nothing was sent to a database.`,
      );
    case 18:
    case 20:
    case 12516:
    case 12519:
    case 12520:
      return unreachable("too-many-connections", `${target} has no free connections.`);
    case 1033:
    case 1034:
    case 1089:
    case 1090:
    case 12526:
    case 12528:
      return unreachable("not-ready", `${target} is starting, stopping or not open.`);
    default:
      return null;
  }
}

export function changeRefusal(number: number | null, where: string, name: string): ChangeFinding {
  switch (number) {
    case 28003:
    case 28219:
    case 988:
    // The password is too long: a statement contains it in the form of a name.
    case 972:
    case 28218:
      return refused(
        "password-rules",
        `${where} did not accept the new password of ${name}: it breaks the rules of its profile.`,
      );
    case 28007:
      return refused("reused", `${where} did not accept the new password of ${name}: it has been used before.`);
    case 1031:
    case 28221:
      return refused(
        "no-permission",
        `${where} does not allow this user to change the password of ${name} (ALTER USER).`,
      );
    case 1918:
      return refused("no-such-account", `${where} has no user ${name}.`);
    case 1017:
    case 28008:
    case 28000:
      return refused(
        "not-changeable",
        `${where} did not accept the current password of ${name}, or the user is locked.`,
      );
    default: {
      const detail = number === null || number < 0 ? "" : ` (ORA-${String(number).padStart(5, "0")})`;
      return unknown(`${where} did not confirm whether it changed the password of ${name}${detail}.`);
    }
  }
}
