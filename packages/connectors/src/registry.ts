// Chooses the connector for an entry, and explains in plain English when there is none.
import { activeDirectory } from "./active-directory/active-directory.ts";
import { apiToken } from "./api-token/api-token.ts";
import { awsIam } from "./aws-iam/aws-iam.ts";
import { certificate } from "./certificate/certificate.ts";
import { schemeOf } from "./connection-string.ts";
import type { Connector, Target } from "./connector.ts";
import { unsupported } from "./finding.ts";
import { httpLogin, httpLoginCheck } from "./http-login/http-login.ts";
import { ldap } from "./ldap/ldap.ts";
import { linux } from "./linux/linux.ts";
import { mongodb } from "./mongodb/mongodb.ts";
import { mssql } from "./mssql/mssql.ts";
import { mysql } from "./mysql/mysql.ts";
import { networkDevice } from "./network-device/network-device.ts";
import { oracle } from "./oracle/oracle.ts";
import { postgresql } from "./postgresql/postgresql.ts";
import { rabbitmq } from "./rabbitmq/rabbitmq.ts";
import { radius } from "./radius/radius.ts";
import { redis } from "./redis/redis.ts";
import { snmpv3 } from "./snmpv3/snmpv3.ts";
import { winrm } from "./winrm/winrm.ts";

/** Every connector. */
export const connectors: readonly Connector[] = [
  linux,
  postgresql,
  mysql,
  ldap,
  activeDirectory,
  redis,
  rabbitmq,
  httpLogin,
  radius,
  certificate,
  apiToken,
  networkDevice,
  awsIam,
  mongodb,
  snmpv3,
  winrm,
  mssql,
  oracle,
];

/**
 * The values of the additional parameter `protocol` for a name and a password: it takes precedence over type and port.
 */
const PROTOCOLS: ReadonlyMap<string, Connector> = new Map([
  ["ssh", linux],
  ["aws-iam", awsIam],
  ["snmpv3", snmpv3],
  ["winrm", winrm],
  ["telnet", networkDevice],
  ["network-device", networkDevice],
  ["ldap", ldap],
  ["ldaps", ldap],
  ["active-directory", activeDirectory],
  ["redis", redis],
  ["rabbitmq", rabbitmq],
  ["radius", radius],
  ["http-basic", httpLogin],
  ["http-bearer", httpLogin],
]);

/** The fields that decide the connector. */
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

/** True when a verification of such an entry would try something. */
export function isSupported(criteria: ConnectorCriteria): boolean {
  return typeof choose(criteria) !== "string";
}

/** True when the connector can replace a stored secret, whether it or the target generates the new one. */
export function canChange({ change, issue }: Connector): boolean {
  return change !== undefined || issue !== undefined;
}

function choose(criteria: ConnectorCriteria): Connector | string {
  switch (criteria.type) {
    case "ssh":
      return linux;
    case "server":
      return byProtocol(criteria) ?? linux;
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
        "Application secrets can be stored and revealed, but not verified. To verify this one, set the additional parameter protocol."
      );
    case "postgresql":
      return postgresql;
    case "mysql":
      return mysql;
    case "mongodb":
      return mongodb;
    case "mssql":
      return mssql;
    case "oracle":
      return oracle;
    case "database":
      return forDatabase(criteria);
    case "certificate":
      return certificate;
    case "api_token":
      return criteria.additionalParams["check_url"] === undefined
        ? "Set the additional parameter check_url to a URL that requires this token."
        : apiToken;
    default:
      return `No connector verifies entries of type ${criteria.type}.`;
  }
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
    return `Port ${port} is ${service}. Set the additional parameter protocol to one of ${[...PROTOCOLS.keys()].join(", ")}.`;
  return linux;
}

/** Null when the entry names no protocol. */
function byProtocol({ additionalParams }: Pick<ConnectorCriteria, "additionalParams">): Connector | string | null {
  const { protocol } = additionalParams;
  if (protocol === undefined) return null;
  const known = typeof protocol === "string" ? PROTOCOLS.get(protocol.toLowerCase()) : undefined;
  // Without a description in the entry a change is impossible.
  if (known === httpLogin && additionalParams["change_path"] === undefined) return httpLoginCheck;
  return (
    known ?? `Unknown protocol. Set the additional parameter protocol to one of ${[...PROTOCOLS.keys()].join(", ")}.`
  );
}

/** Ports used by one protocol only; neither sends a password in clear text unless the entry allows that. */
function byPort({ port }: Pick<ConnectorCriteria, "port">): Connector | null {
  if (port === 23) return networkDevice;
  return port === 5986 ? winrm : null;
}

function forDatabase({ connectionString }: ConnectorCriteria): Connector | string {
  const scheme = schemeOf(connectionString);
  switch (scheme) {
    case "postgres":
    case "postgresql":
      return postgresql;
    case "mysql":
    case "mariadb":
      return mysql;
    case "redis":
    case "rediss":
      return redis;
    case "mongodb":
      return mongodb;
    case "mssql":
    case "sqlserver":
      return mssql;
    case "oracle":
      return oracle;
    case null:
      return "A generic database entry needs a connection string. Add one, or choose the database's own type.";
    default:
      return `${scheme} databases are not supported yet. Supported connection strings: postgres, mysql, mariadb, rediss, mongodb, sqlserver and oracle.`;
  }
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
    types: [type],
    proven: false,
    verify: async () => ({ ...unsupported(reason), durationMs: 0 }),
  };
}
