// The systems that the search of "Create New Account" finds, and the form values that each of them sets.
import { CLOUD_HOSTS, USUAL_METHODS, recordOf, usualPort } from "@strongroom/contract";
import type { ConnectionMethod, ConnectorDescription, ConnectorIcon, Platform } from "@strongroom/contract";
import { afterKind, afterProtocol, type Params } from "#shared/connectors/parameter-values.ts";
import { kindOf, systemTypeOf, type AccountFormValues, type SystemChoice } from "./account-form-values.ts";

const DEFAULTED = ["hostname", "database_name", "schema_name"] as const;
type DefaultedField = (typeof DEFAULTED)[number];

export interface FoundSystem {
  id: string;
  group: string;
  label: string;
  /** Other words that find it. */
  words: string;
  icon: ConnectorIcon;
  system: SystemChoice;
  /** Defaults to the usual method of the system. */
  method?: ConnectionMethod;
  protocol?: string;
  parameters?: Params;
  /** Values for fields into which the user typed nothing. */
  fields?: Partial<Pick<AccountFormValues, DefaultedField>>;
  /** Defaults to the only platform of the system type, if there is one. */
  platformId?: string;
}

type Entry = Omit<FoundSystem, "id" | "group" | "icon"> & { icon?: ConnectorIcon };

const groupOf = (group: string, icon: ConnectorIcon, entries: readonly Entry[]): FoundSystem[] =>
  entries.map((entry) => ({ id: entry.label, group, icon, ...entry }));

export const SYSTEMS: readonly FoundSystem[] = [
  ...groupOf("Servers", "terminal", [
    { label: "Linux", words: "server ssh ubuntu debian red hat rhel suse centos", system: "Linux" },
    { label: "Unix or AIX", words: "server ssh solaris hp-ux bsd", system: "Unix/AIX" },
    {
      label: "Windows",
      words: "server pc microsoft powershell winrm",
      icon: "windows",
      system: "Windows",
      method: "WinRM",
      protocol: "winrm",
    },
  ]),
  ...groupOf("Databases", "database", [
    {
      label: "PostgreSQL",
      words: "postgres psql sql",
      system: "postgresql",
      fields: { database_name: "postgres", schema_name: "public" },
    },
    { label: "MySQL", words: "sql", system: "mysql", fields: { database_name: "mysql" } },
    { label: "MariaDB", words: "mysql sql", system: "mariadb", fields: { database_name: "mysql" } },
    { label: "SQL Server", words: "mssql microsoft", system: "mssql", fields: { database_name: "master" } },
    { label: "Oracle", words: "sql", system: "oracle" },
    { label: "MongoDB", words: "nosql", system: "mongodb", fields: { database_name: "admin" } },
    { label: "Redis", words: "cache valkey nosql", system: "Application", method: "Custom", protocol: "redis" },
  ]),
  ...groupOf("Network", "network", [
    {
      label: "Cisco IOS",
      words: "router switch catalyst ssh",
      system: "Network Device",
      protocol: "network-device",
      parameters: { device: "cisco-ios" },
    },
    {
      label: "Junos",
      words: "juniper router switch firewall srx ssh",
      system: "Network Device",
      protocol: "network-device",
      parameters: { device: "junos" },
    },
    {
      label: "Network device over Telnet",
      words: "router switch",
      system: "Network Device",
      method: "Telnet",
      protocol: "telnet",
    },
    { label: "Security appliance over SSH", words: "firewall load balancer vpn", system: "Security Appliance" },
    {
      label: "SNMPv3",
      words: "monitoring ups printer sensor",
      system: "Network Device",
      method: "Custom",
      protocol: "snmpv3",
    },
    { label: "RADIUS", words: "vpn wifi freeradius", system: "Application", method: "Custom", protocol: "radius" },
  ]),
  ...groupOf("Directories", "directory", [
    {
      label: "Active Directory",
      words: "domain windows microsoft ldap ad",
      system: "Windows",
      protocol: "active-directory",
    },
    { label: "LDAP", words: "openldap ldaps", system: "Application", method: "Custom", protocol: "ldaps" },
  ]),
  ...groupOf("Clouds", "cloud", [
    { label: "AWS access key", words: "amazon iam", system: "AWS", protocol: "aws-iam" },
    {
      label: "Azure client secret",
      words: "microsoft entra",
      system: "Azure",
      protocol: "azure",
      fields: { hostname: CLOUD_HOSTS.azure },
    },
    {
      label: "Google Cloud service account key",
      words: "gcp iam",
      system: "Application",
      protocol: "google-cloud",
      fields: { hostname: CLOUD_HOSTS.gcp },
    },
  ]),
  ...groupOf("Applications", "web", [
    { label: "Website", words: "url http https basic", system: "Website", protocol: "http-basic" },
    { label: "API token", words: "rest http bearer", icon: "key", system: "Application", protocol: "http-bearer" },
    { label: "Git repository", words: "github gitlab gitea https", system: "Application", protocol: "git" },
    {
      label: "RabbitMQ",
      words: "queue amqp",
      icon: "queue",
      system: "Application",
      method: "Custom",
      protocol: "rabbitmq",
    },
  ]),
];

/** The platforms that share a system type with another one, so that choosing a system does not select them. */
export function platformSystems(platforms: readonly Platform[]): FoundSystem[] {
  const isOnlyOne = ({ system_type: type }: Platform) =>
    platforms.filter(({ system_type: other }) => other === type).length === 1;
  return platforms
    .filter((platform) => !isOnlyOne(platform))
    .map(({ id, name, system_type: system, connection_method: method }) => ({
      id,
      group: "Platforms",
      label: name,
      words: system,
      icon: SYSTEMS.find((each) => each.system === system)?.icon ?? "network",
      system,
      method,
      platformId: id,
    }));
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[^\s/,]+/g) ?? [];

/** The systems of which every typed word begins a word; those with the first typed word in their name come first. */
export function matchingSystems(systems: readonly FoundSystem[], search: string): readonly FoundSystem[] {
  const [first, ...others] = wordsIn(search);
  if (first === undefined) return systems;
  const begins = (text: string, typed: string) => wordsIn(text).some((word) => word.startsWith(typed));
  const matches = systems.filter(({ label, words }) =>
    [first, ...others].every((typed) => begins(`${label} ${words}`, typed)),
  );
  const isNamed = ({ label }: FoundSystem) => begins(label, first);
  return [...matches.filter(isNamed), ...matches.filter((each) => !isNamed(each))];
}

/** Parts of the form that a choice depends on. */
interface FormContext {
  values: AccountFormValues;
  connectors: readonly ConnectorDescription[];
  platforms: readonly Platform[];
}

/** The values that choosing a system sets. A typed host, database or schema name stays. */
export function valuesOfSystem(found: FoundSystem, { values, connectors, platforms }: FormContext) {
  const { system, protocol = null, parameters, fields } = found;
  const type = systemTypeOf(system);
  const connection_method = found.method ?? USUAL_METHODS[type];
  const kind = kindOf({ ...values, system, connection_method });
  const params = afterKind(connectors, kindOf(values), kind, values.additional_params);
  const ofProtocol = connectors.flatMap(({ protocols }) => protocols).find(({ value }) => value === protocol);
  const port = ofProtocol?.port ?? usualPort(type, connection_method);
  const ofType = platforms.filter((platform) => platform.system_type === type);
  const isFitting = ofType.some(({ id }) => id === values.platform_id);
  const [only] = ofType.length === 1 ? ofType : [];
  return {
    system,
    connection_method,
    port: port === null ? "" : String(port),
    additional_params: { ...afterProtocol(connectors, kind, params, protocol), ...parameters },
    platform_id: found.platformId ?? only?.id ?? (isFitting ? values.platform_id : ""),
    ...recordOf(DEFAULTED, (name) => (isTyped(name, values[name]) ? values[name] : (fields?.[name] ?? ""))),
  };
}

/** Whether the form still has what the choice of this system set. */
export const isChosen = ({ system, protocol, platformId }: FoundSystem, values: AccountFormValues): boolean =>
  values.system === system &&
  (values.additional_params["protocol"] ?? undefined) === protocol &&
  (platformId === undefined || values.platform_id === platformId);

/** Whether a value is not the default of a system that was chosen before. */
const isTyped = (name: DefaultedField, value: string): boolean =>
  value !== "" && !SYSTEMS.some(({ fields }) => fields?.[name] === value);
