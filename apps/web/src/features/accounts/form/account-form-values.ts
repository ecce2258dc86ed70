// Values, validation rules and payload of the account form (ACC-57 to ACC-75).
import {
  ACCOUNT_DETAIL_NAMES,
  CLOUD_HOSTS,
  USUAL_METHODS,
  credentialTypeOf,
  isAccountDatabaseType,
  pick,
  recordOf,
  type Account,
  type AccountDetail,
  type ConnectionMethod,
  type InputOf,
  type NewAccount,
  type ParameterField,
  type SystemType,
  type updateAccount,
  usualPort,
} from "@strongroom/contract";
import type { UseFormReturnType } from "@mantine/form";
import type { z } from "zod";
import { parameterErrors, type EntryKind, type Params } from "#shared/connectors/parameter-values.ts";

/** The choices of the system type field: MariaDB is a separate choice here and `mysql` everywhere else (ACC-74). */
export type SystemChoice = SystemType | "mariadb";

export interface AccountFormValues extends Record<AccountDetail, string> {
  name: string;
  hostname: string;
  /** Digits, or empty for no port. */
  port: string;
  connection_method: ConnectionMethod;
  system: SystemChoice;
  username: string;
  /** The secret. Empty while editing keeps the stored one. */
  password: string;
  database_name: string;
  schema_name: string;
  connection_string: string;
  ssl_enabled: boolean;
  additional_params: Params;
  platform_id: string;
  safe_id: string;
  status: "active" | "disabled";
  notes: string;
  tags: string[];
  /** Rotates the password once the account is stored. */
  rotates: boolean;
}

export type AccountFormControl = UseFormReturnType<AccountFormValues>;

export const EMPTY_FORM: AccountFormValues = {
  name: "",
  hostname: "",
  port: "",
  connection_method: "RDP",
  system: "Windows",
  ...recordOf(ACCOUNT_DETAIL_NAMES, () => ""),
  username: "",
  password: "",
  database_name: "",
  schema_name: "",
  connection_string: "",
  ssl_enabled: false,
  additional_params: {},
  platform_id: "",
  safe_id: "",
  status: "active",
  notes: "",
  tags: [],
  rotates: false,
};

/** Form values of a stored account, without its secret. */
export function formOf(account: Account): AccountFormValues {
  return {
    name: account.name,
    hostname: account.hostname_ip,
    port: account.port === null ? "" : String(account.port),
    connection_method: account.connection_method,
    system: account.system_type,
    ...recordOf(ACCOUNT_DETAIL_NAMES, (name) => account[name] ?? ""),
    username: account.username,
    password: "",
    database_name: account.database_name ?? "",
    schema_name: account.schema_name ?? "",
    connection_string: account.connection_string ?? "",
    ssl_enabled: account.ssl_enabled,
    additional_params: account.additional_params,
    platform_id: account.platform_id,
    safe_id: account.safe_id,
    status: account.status === "disabled" ? "disabled" : "active",
    notes: account.notes ?? "",
    tags: account.tags,
    rotates: false,
  };
}

export const systemTypeOf = (choice: SystemChoice): SystemType => (choice === "mariadb" ? "mysql" : choice);
export const isDatabase = (choice: SystemChoice): boolean => isAccountDatabaseType(systemTypeOf(choice));
export const needsSchema = (choice: SystemChoice): boolean => choice === "postgresql" || choice === "oracle";

/** The fields that decide the connector, together with the protocol among the parameters. */
export const kindOf = (
  values: Pick<AccountFormValues, "system" | "connection_method" | "connection_string">,
): EntryKind => ({
  type: credentialTypeOf(systemTypeOf(values.system), values.connection_method),
  connection_string: values.connection_string,
});

/** The port of a system with its default method, as text. */
export const portOfSystem = (choice: SystemChoice): string => {
  const system = systemTypeOf(choice);
  return String(usualPort(system, USUAL_METHODS[system]) ?? "");
};

/** Systems with one way to log in, some with one address for all customers. */
const CLOUDS: Partial<Record<SystemChoice, { hostname?: string; protocol: string }>> = {
  AWS: { protocol: "aws-iam" },
  Azure: { hostname: CLOUD_HOSTS.azure, protocol: "azure" },
};

/** ACC-71, ACC-72: the fields that change with the system type. Other systems keep typed values. */
export function afterSystem(
  values: AccountFormValues,
  system: SystemChoice,
): Pick<AccountFormValues, "system" | "port" | "connection_method"> & { hostname?: string } {
  const [before, after] = [USUAL_METHODS[systemTypeOf(values.system)], USUAL_METHODS[systemTypeOf(system)]];
  const isHostUntouched = values.hostname === (CLOUDS[values.system]?.hostname ?? "");
  const hostname = isHostUntouched ? { hostname: CLOUDS[system]?.hostname ?? "" } : {};
  if (isDatabase(system)) return { system, port: portOfSystem(system), connection_method: after, ...hostname };
  const isPortUntouched = values.port === "" || values.port === portOfSystem(values.system);
  return {
    system,
    port: isPortUntouched ? portOfSystem(system) : values.port,
    connection_method: values.connection_method === before ? after : values.connection_method,
    ...hostname,
  };
}

/** The protocol that this choice of a system type sets, null for none; undefined when the protocol stays. */
export function protocolAfter({ system: before, additional_params }: AccountFormValues, system: SystemChoice) {
  const [usual, next] = [CLOUDS[before]?.protocol, CLOUDS[system]?.protocol];
  const isUntouched = additional_params["protocol"] === usual;
  return isUntouched && usual !== next ? (next ?? null) : undefined;
}

const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text);
const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

export const URI_RULE =
  "Connection string must be a valid URI format (e.g., postgresql://db.example.com:5432/database)";

export type AccountFormMode = "create" | "edit";
type Field = keyof AccountFormValues;

interface Rule {
  field: Field;
  message: string;
  isBroken: (values: AccountFormValues, mode: AccountFormMode) => boolean;
}

const isBlank = (text: string): boolean => text.trim() === "";

/** ACC-58: in this order. The port comes last, because the specification has no rule for it (OPEN-81). */
const RULES: readonly Rule[] = [
  { field: "name", message: "Account name is required", isBroken: ({ name }) => isBlank(name) },
  { field: "hostname", message: "Hostname/IP is required", isBroken: ({ hostname }) => isBlank(hostname) },
  { field: "username", message: "Username is required", isBroken: ({ username }) => isBlank(username) },
  {
    field: "password",
    message: "Password is required",
    isBroken: ({ password }, mode) => mode === "create" && password === "",
  },
  { field: "platform_id", message: "Platform ID is required", isBroken: ({ platform_id: id }) => isBlank(id) },
  {
    field: "safe_id",
    message: "Please select a safe for this account",
    isBroken: ({ safe_id: id }) => isBlank(id),
  },
  {
    field: "database_name",
    message: "Database name is required for database connections",
    isBroken: ({ system, database_name: name }) => isDatabase(system) && isBlank(name),
  },
  {
    field: "schema_name",
    message: "Schema name is required for PostgreSQL and Oracle databases",
    isBroken: ({ system, schema_name: name }) => needsSchema(system) && isBlank(name),
  },
  {
    field: "connection_string",
    message: URI_RULE,
    isBroken: ({ system, connection_string: text }) => isDatabase(system) && !isBlank(text) && !isUri(text.trim()),
  },
  {
    field: "port",
    message: "Port must be between 1 and 65535",
    isBroken: ({ port }) => !isBlank(port) && !isPort(port.trim()),
  },
];

export type AccountFormErrors = Partial<Record<Field | `additional_params.${string}`, string>>;

/** The described parameters, and their values when the form was opened. */
export interface ParameterContext {
  fields: readonly ParameterField[];
  stored: Params;
}

/** The first broken rule, by field; an empty result means the form is valid. */
export function checkForm(
  values: AccountFormValues,
  mode: AccountFormMode,
  { fields, stored }: ParameterContext = { fields: [], stored: {} },
): AccountFormErrors {
  const broken = RULES.find(({ isBroken }) => isBroken(values, mode));
  const isLater = broken?.field === "connection_string" || broken?.field === "port";
  const [parameter] = parameterErrors(fields, values.additional_params, stored);
  if (parameter !== undefined && (broken === undefined || isLater)) {
    return { [`additional_params.${parameter[0]}`]: parameter[1] };
  }
  return broken === undefined ? {} : { [broken.field]: broken.message };
}

type Sent = z.input<typeof NewAccount>;

/** The properties sent by both create and edit. Only database types send database fields. */
function propertiesOf(values: AccountFormValues): Required<Omit<Sent, "safe_id" | "password">> {
  const ofDatabase = isDatabase(values.system);
  return {
    name: values.name.trim(),
    system_type: systemTypeOf(values.system),
    hostname: values.hostname.trim(),
    port: values.port.trim(),
    username: values.username.trim(),
    notes: values.notes,
    tags: values.tags,
    ...pick(values, ACCOUNT_DETAIL_NAMES),
    platform_id: values.platform_id,
    connection_method: values.connection_method,
    database_name: ofDatabase ? values.database_name : "",
    schema_name: needsSchema(values.system) ? values.schema_name : "",
    connection_string: ofDatabase ? values.connection_string : "",
    ssl_enabled: ofDatabase && values.ssl_enabled,
    additional_params: values.additional_params,
  };
}

/** ACC-57. */
export const newPayloadOf = (values: AccountFormValues): Sent => ({
  ...propertiesOf(values),
  safe_id: values.safe_id,
  password: values.password,
});

export const editPayloadOf = (values: AccountFormValues): NonNullable<InputOf<typeof updateAccount>["body"]> => ({
  ...propertiesOf(values),
  status: values.status,
  ...(values.password === "" ? {} : { password: values.password }),
});

/** Whether a payload path in a server error names a field of the form. */
export const isFormField = (path: string): path is Field => Object.hasOwn(EMPTY_FORM, path);
