// The address of a directory and the encryption of its connection, read from an entry.
import type { Failure, Target } from "../connector.ts";
import { nameOf, type Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { mayCarryClearText, tlsSettings, type TlsSettings } from "../tls-settings.ts";

export interface DirectoryAddress extends Endpoint {
  username: string;
  tls: TlsSettings;
  /** If false, the connection starts unencrypted and is upgraded by StartTLS before anything else is sent. */
  isTlsFromStart: boolean;
}

const PLAIN_PORTS = [389, 3268];
const TLS_PORTS = [636, 3269];
/** These ports belong to the account's machine, not to the directory. */
const OTHER_PORTS = [22, 445, 3389, 5985, 5986];

/**
 * `directory_server` (`host` or `host:port`) names the directory if it is not the entry's host. The port decides
 * between LDAPS and StartTLS; for an unknown port, `protocol` does.
 */
export function directoryAddress(target: Target): DirectoryAddress | { failure: Failure } {
  const { directory_server, protocol, sslmode } = target.additionalParams;
  const named = directory_server === undefined ? null : serverOf(directory_server);
  if (named === undefined)
    return refuse(
      'The additional parameter "directory_server" must be a host name or an address, with or without a port.',
    );
  const host = named?.host ?? target.host ?? "";
  const { username } = target;
  if (host === "") return refuse("The host is missing.");
  if (!username) return refuse("The user name is missing.");
  const usual = protocol === "ldap" ? 389 : 636;
  const own = target.port !== null && !OTHER_PORTS.includes(target.port) ? target.port : usual;
  const port = named === null ? own : (named.port ?? usual);
  // The protocol implies TLS; only sslmode can override that.
  const tls = tlsSettings({ ...target, sslEnabled: target.sslEnabled || sslmode === undefined }, null);
  if ("failure" in tls) return tls;
  const address = { host, port, username, tls, isTlsFromStart: isTlsFromStart(port, protocol) };
  return mayCarryClearText(tls) ? address : { failure: insecure(address) };
}

function isTlsFromStart(port: number, protocol: unknown): boolean {
  if (PLAIN_PORTS.includes(port)) return false;
  return TLS_PORTS.includes(port) || protocol !== "ldap";
}

/** The host of the directory; null when the entry names none or an invalid one. */
export function directoryHost({ host, additionalParams }: Target): string | null {
  const { directory_server } = additionalParams;
  return (directory_server === undefined ? host : serverOf(directory_server)?.host) || null;
}

/** Undefined when the value is invalid. */
function serverOf(value: unknown): { host: string; port: number | null } | undefined {
  if (typeof value !== "string") return undefined;
  const [, host = "", port] = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?$/i.exec(value) ?? [];
  if (host === "" || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: port === undefined ? null : Number(port) };
}

function insecure(endpoint: Endpoint): Failure {
  return misconfigured(
    "insecure-authentication",
    `LDAP sends the password in clear text, so ${nameOf(endpoint)} needs TLS with a verified certificate. The password was not sent: use sslmode verify-full, with the additional parameter "ca" if needed.`,
  );
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
