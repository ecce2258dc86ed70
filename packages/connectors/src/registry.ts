// Which connector checks an entry, and in plain words why none does.
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

/** Every connector that there is. */
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

/** What the additional parameter `protocol` may say for a name and a password: it decides before type and port. */
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

/** What decides between connectors. */
export type Kind = Pick<Target, "type" | "host" | "port" | "username" | "connectionString" | "additionalParams">;

/**
 * The connector for an entry. There always is one: for what no connector checks yet it answers `unsupported` with the
 * reason and touches nothing. `isSupported` tells beforehand.
 */
export function connectorFor(kind: Kind): Connector {
  const choice = choose(kind);
  return typeof choice === "string" ? unsupportedConnector(kind.type, choice) : choice;
}

/** True when a verification of such an entry would try something. */
export function isSupported(kind: Kind): boolean {
  return typeof choose(kind) !== "string";
}

/** True when it can put a new secret in the place of a stored one, whoever makes it up. */
export function canChange({ change, issue }: Connector): boolean {
  return change !== undefined || issue !== undefined;
}

function choose(kind: Kind): Connector | string {
  switch (kind.type) {
    case "ssh":
      return linux;
    case "server":
      return byProtocol(kind) ?? linux;
    case "password":
      return forPassword(kind);
    case "api":
      return (
        byProtocol(kind) ?? "Nothing says how to check an API secret; for a token over HTTPS choose the type API Token."
      );
    case "application":
      return (
        byProtocol(kind) ??
        byPort(kind) ??
        "Nothing says how to check an application's secret; it is stored and can be revealed. The additional parameter protocol can name the way."
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
      return forDatabase(kind);
    case "certificate":
      return certificate;
    case "api_token":
      return kind.additionalParams["check_url"] === undefined
        ? "Nothing says how to check this token: put the address to call into the additional parameter check_url."
        : apiToken;
    default:
      return `No connector checks entries of type ${kind.type}.`;
  }
}

/**
 * A password with a host and a user name is a Unix account over SSH, unless the entry says otherwise by the additional
 * parameter `protocol`, or by a port that is known for something else.
 */
function forPassword({ host, port, username, additionalParams }: Kind): Connector | string {
  if (!host || !username) return "A password without a host and a user name cannot be checked anywhere.";
  const named = byProtocol({ additionalParams });
  if (named !== null) return named;
  const usual = byPort({ port });
  if (usual !== null) return usual;
  const service = port === null ? undefined : OTHER_SERVICES[port];
  if (service !== undefined)
    return `Port ${port} is ${service}: name the way to check it in the additional parameter protocol (${[...PROTOCOLS.keys()].join(", ")}).`;
  return linux;
}

/** Null when the entry names none. */
function byProtocol({ additionalParams }: Pick<Kind, "additionalParams">): Connector | string | null {
  const { protocol } = additionalParams;
  if (protocol === undefined) return null;
  const known = typeof protocol === "string" ? PROTOCOLS.get(protocol.toLowerCase()) : undefined;
  // What an entry does not describe cannot be done.
  if (known === httpLogin && additionalParams["change_path"] === undefined) return httpLoginCheck;
  return (
    known ??
    `No connector knows the protocol of this entry. The additional parameter protocol may be ${[...PROTOCOLS.keys()].join(", ")}.`
  );
}

/** Ports that one protocol has to itself; neither lets a password out in clear text unless the entry allows that. */
function byPort({ port }: Pick<Kind, "port">): Connector | null {
  if (port === 23) return networkDevice;
  return port === 5986 ? winrm : null;
}

function forDatabase({ connectionString }: Kind): Connector | string {
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
      return "A generic database entry is checked by its connection string, and there is none. Add one, or choose the database's own type.";
    default:
      return `No connector checks ${scheme} databases yet; postgres, mysql, mariadb, rediss, mongodb, sqlserver and oracle connection strings are checked.`;
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
