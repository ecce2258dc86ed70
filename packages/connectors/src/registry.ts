// Chooses the connector for an entry, and explains in plain English why an entry has none.
import * as all from "./all.ts";
import { schemeOf } from "./connection-string.ts";
import type { Connector, Target } from "./connector.ts";
import { unsupported } from "./finding.ts";
import { httpLoginCheck } from "./http-login/http-login.ts";

/** Every connector. */
export const connectors: readonly Connector[] = Object.values(all);

/** Connectors by the additional parameter `protocol`, which takes precedence over type and port. */
const PROTOCOLS: ReadonlyMap<string, Connector> = new Map(
  connectors.flatMap((connector) => (connector.protocols ?? []).map(({ value }) => [value, connector] as const)),
);
const protocolNames = (): string => [...PROTOCOLS.keys()].toSorted().join(", ");

/** The fields of an entry that determine its connector. */
export type ConnectorCriteria = Pick<
  Target,
  "type" | "host" | "port" | "username" | "connectionString" | "additionalParams"
>;

/**
 * The connector for an entry. For an entry that no connector supports it returns one that reports `unsupported` with
 * the reason and contacts no target. `isSupported` checks this beforehand.
 */
export function connectorFor(criteria: ConnectorCriteria): Connector {
  const choice = choose(criteria);
  return typeof choice === "string" ? unsupportedConnector(criteria.type, choice) : choice;
}

/** True when verifying such an entry would contact a target. */
export function isSupported(criteria: ConnectorCriteria): boolean {
  return typeof choose(criteria) !== "string";
}

/** True when the connector can replace a stored secret, whether it or the target generates the new one. */
export function canChange({ change, issue }: Connector): boolean {
  return change !== undefined || issue !== undefined;
}

/** True when the connector can search the target for secrets, in files or in databases. */
export function canSearch({ readFiles, readDatabases }: Connector): boolean {
  return readFiles !== undefined || readDatabases !== undefined;
}

function choose(criteria: ConnectorCriteria): Connector | string {
  switch (criteria.type) {
    case "server":
      return byProtocol(criteria) ?? ofType(criteria.type);
    case "password":
      return forPassword(criteria);
    case "api":
      return (
        byProtocol(criteria) ?? "API secrets cannot be verified. For a token over HTTPS, choose the type API Token."
      );
    case "application":
      return (
        byProtocol(criteria) ??
        byPort(criteria) ??
        'Application secrets can be stored and revealed, but not verified. To verify this one, set the additional parameter "protocol".'
      );
    case "database":
      return forDatabase(criteria);
    case "api_token":
      return criteria.additionalParams["check_url"] === undefined
        ? 'Set the additional parameter "check_url" to a URL that requires this token.'
        : ofType(criteria.type);
    default:
      return ofType(criteria.type);
  }
}

function ofType(type: string): Connector | string {
  return connectors.find(({ types }) => types.includes(type)) ?? `No connector verifies entries of type ${type}.`;
}

/**
 * A password with a host and a user name is a Unix account over SSH, unless the additional parameter `protocol`, or a
 * port known for another protocol, says otherwise.
 */
function forPassword({ host, port, username, additionalParams }: ConnectorCriteria): Connector | string {
  if (!host || !username) return "A password without a host and a user name cannot be verified.";
  const named = byProtocol({ additionalParams });
  if (named !== null) return named;
  const usual = byPort({ port });
  if (usual !== null) return usual;
  const service = port === null ? undefined : OTHER_SERVICES[port];
  if (service !== undefined)
    return `Port ${port} is ${service}. Set the additional parameter "protocol" to one of ${protocolNames()}.`;
  return ofType("password");
}

/** Null when the entry names no protocol. */
function byProtocol({ additionalParams }: Pick<ConnectorCriteria, "additionalParams">): Connector | string | null {
  const { protocol } = additionalParams;
  if (protocol === undefined) return null;
  const known = typeof protocol === "string" ? PROTOCOLS.get(protocol.toLowerCase()) : undefined;
  // Without a description in the entry a change is impossible.
  if (known?.id === httpLoginCheck.id && additionalParams["change_path"] === undefined) return httpLoginCheck;
  return known ?? `Unknown protocol. Set the additional parameter "protocol" to one of ${protocolNames()}.`;
}

/** None of these connectors sends a password in clear text unless the entry allows it. */
function byPort({ port }: Pick<ConnectorCriteria, "port">): Connector | null {
  return port === null ? null : (connectors.find(({ ports }) => ports?.includes(port)) ?? null);
}

function forDatabase({ connectionString }: ConnectorCriteria): Connector | string {
  const scheme = schemeOf(connectionString);
  if (scheme === null)
    return "A generic database entry needs a connection string. Add one, or choose the database's own type.";
  const supported = connectors.flatMap(({ schemes }) => schemes ?? []).toSorted();
  return (
    connectors.find(({ schemes }) => schemes?.includes(scheme)) ??
    `${scheme} databases are not supported yet. Supported connection strings: ${supported.join(", ")}.`
  );
}

const OTHER_SERVICES: Record<number, string> = {
  389: "LDAP",
  445: "Windows file sharing",
  636: "LDAP",
  1812: "RADIUS",
  3389: "Remote Desktop",
  5671: "RabbitMQ",
  5672: "RabbitMQ",
  5900: "VNC",
  5985: "Windows Remote Management",
  6379: "Redis",
};

function unsupportedConnector(type: string, reason: string): Connector {
  return {
    id: "unsupported",
    name: "No connector",
    icon: "key",
    types: [type],
    parameters: [],
    proven: false,
    verify: async () => ({ ...unsupported(reason), durationMs: 0 }),
  };
}
