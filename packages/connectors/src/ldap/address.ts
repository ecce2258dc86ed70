// Where a directory is and how the connection to it is encrypted, read from an entry.
import type { Failure, Target } from "../connector.ts";
import { nameOf, type Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { mayCarryClearText, tlsSettings, type TlsSettings } from "../tls-settings.ts";

export interface DirectoryAddress extends Endpoint {
  username: string;
  tls: TlsSettings;
  /** False: it begins unencrypted and is upgraded by StartTLS before anything else is said. */
  isTlsFromStart: boolean;
}

const PLAIN_PORTS = [389, 3268];
const TLS_PORTS = [636, 3269];
/** Of the machine that the account is for, not of the directory that keeps it. */
const OTHER_PORTS = [22, 445, 3389, 5985, 5986];

/**
 * `directory_server` (`host` or `host:port`) names the directory when it is not the entry's host itself. The port decides
 * between LDAPS and StartTLS; for one that is known for neither, `protocol` does.
 */
export function directoryAddress(target: Target): DirectoryAddress | { failure: Failure } {
  const { directory_server, protocol, sslmode } = target.additionalParams;
  const named = directory_server === undefined ? null : serverOf(directory_server);
  if (named === undefined)
    return refuse(
      "The additional parameter directory_server must be a host name or an address, with or without a port.",
    );
  const host = named?.host ?? target.host ?? "";
  const { username } = target;
  if (host === "") return refuse("There is no host.");
  if (!username) return refuse("There is no user name.");
  const usual = protocol === "ldap" ? 389 : 636;
  const own = target.port !== null && !OTHER_PORTS.includes(target.port) ? target.port : usual;
  const port = named === null ? own : (named.port ?? usual);
  // The protocol means TLS; only sslmode can say otherwise.
  const tls = tlsSettings({ ...target, sslEnabled: target.sslEnabled || sslmode === undefined }, null);
  if ("failure" in tls) return tls;
  const address = { host, port, username, tls, isTlsFromStart: isTlsFromStart(port, protocol) };
  return mayCarryClearText(tls) ? address : { failure: insecure(address) };
}

function isTlsFromStart(port: number, protocol: unknown): boolean {
  if (PLAIN_PORTS.includes(port)) return false;
  return TLS_PORTS.includes(port) || protocol !== "ldap";
}

/** The host of the directory; null when the entry names none, or none that makes sense. */
export function directoryHost({ host, additionalParams }: Target): string | null {
  const { directory_server } = additionalParams;
  return (directory_server === undefined ? host : serverOf(directory_server)?.host) || null;
}

/** Undefined when it is none. */
function serverOf(value: unknown): { host: string; port: number | null } | undefined {
  if (typeof value !== "string") return undefined;
  const [, host = "", port] = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?$/i.exec(value) ?? [];
  if (host === "" || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: port === undefined ? null : Number(port) };
}

function insecure(endpoint: Endpoint): Failure {
  return misconfigured(
    "insecure-authentication",
    `A directory takes the password in clear text, so ${nameOf(endpoint)} gets it only over TLS with a checked certificate. It was not sent: use sslmode verify-full, with the additional parameter ca if needed.`,
  );
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
