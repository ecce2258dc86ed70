// The authentication settings of an SNMPv3 user, read from the entry before anything is sent.
import snmp from "net-snmp";
import type { Failure, Target } from "../connector.ts";
import type { Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";

export interface SnmpLogin {
  endpoint: Endpoint;
  user: snmp.User;
  context: string;
  isEncrypted: boolean;
}

const AUTH: Readonly<Record<string, snmp.AuthProtocols>> = {
  md5: snmp.AuthProtocols.md5,
  sha: snmp.AuthProtocols.sha,
  sha224: snmp.AuthProtocols.sha224,
  sha256: snmp.AuthProtocols.sha256,
  sha384: snmp.AuthProtocols.sha384,
  sha512: snmp.AuthProtocols.sha512,
};
const PRIV: Readonly<Record<string, snmp.PrivProtocols>> = {
  none: snmp.PrivProtocols.none,
  aes: snmp.PrivProtocols.aes,
  aes256b: snmp.PrivProtocols.aes256b,
  aes256r: snmp.PrivProtocols.aes256r,
};
/** RFC 3414 §11.2. */
const MIN_PASSWORD = 8;

export function snmpLogin(target: Target, value: string): SnmpLogin | { failure: Failure } {
  const { host, port, username, additionalParams } = target;
  const { auth_protocol = "sha", priv_protocol = "aes", context = "" } = additionalParams;
  if (!host) return refuse("The host is missing.");
  if (!username || Buffer.byteLength(username) > 32) return refuse("The user name must have 1 to 32 bytes.");
  const auth = named(AUTH, auth_protocol);
  if (auth === null)
    return refuse(`The additional parameter "auth_protocol" must be one of ${Object.keys(AUTH).join(", ")}.`);
  const priv = named(PRIV, priv_protocol);
  if (priv === null)
    return refuse(`The additional parameter "priv_protocol" must be one of ${Object.keys(PRIV).join(", ")}.`);
  if (typeof context !== "string" || Buffer.byteLength(context) > 32)
    return refuse('The additional parameter "context" must be a string of up to 32 bytes.');
  const passwords = passwordsIn(value);
  if (passwords === null)
    return refuse('The secret must be a password of 8 characters or more, or {"auth": "…", "priv": "…"}.');
  const isEncrypted = priv !== snmp.PrivProtocols.none;
  const user = {
    name: username,
    level: isEncrypted ? snmp.SecurityLevel.authPriv : snmp.SecurityLevel.authNoPriv,
    authProtocol: auth,
    authKey: passwords.auth,
    privProtocol: priv,
    privKey: passwords.priv,
  };
  return { endpoint: { host, port: port ?? 161 }, user, context, isEncrypted };
}

function passwordsIn(value: string): { auth: string; priv: string } | null {
  const parsed = value.startsWith("{") ? jsonOf(value) : null;
  const { auth = value, priv = auth } = parsed ?? {};
  const isGood = (text: unknown): text is string =>
    typeof text === "string" && Buffer.byteLength(text) >= MIN_PASSWORD && text.length <= 256;
  return isGood(auth) && isGood(priv) ? { auth, priv } : null;
}

/** Null for a password that happens to start with a brace. */
function jsonOf(value: string): { auth?: unknown; priv?: unknown } | null {
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed !== null && typeof parsed === "object" && "auth" in parsed ? parsed : null;
  } catch {
    // The text is not JSON, so it is the password itself.
    return null;
  }
}

function named<T>(values: Readonly<Record<string, T>>, name: unknown): T | null {
  const key = typeof name === "string" ? name.toLowerCase() : "";
  return Object.hasOwn(values, key) ? (values[key] ?? null) : null;
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
