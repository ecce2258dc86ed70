// Values, validation and payload of the credential form.
import {
  CredentialEdit,
  DEFAULT_PORTS,
  NewCredential,
  isDatabaseType,
  type Credential,
  type CredentialType,
  type Environment,
  type InputOf,
  type ParameterField,
  type updateCredential,
} from "@strongroom/contract";
import { firstObjections } from "#shared/api/field-errors.ts";
import type { z } from "zod";
import { parameterErrors, type EntryKind, type Params } from "#shared/connectors/parameter-values.ts";

export interface CredentialFormValues {
  name: string;
  type: CredentialType;
  username: string;
  host: string;
  /** Digits, or empty for no port. */
  port: string;
  environment: Environment;
  database_name: string;
  schema_name: string;
  connection_string: string;
  ssl_enabled: boolean;
  additional_params: Params;
  /** The secret. Empty while editing keeps the stored one. */
  value: string;
}

export const EMPTY_FORM: CredentialFormValues = {
  name: "",
  type: "password",
  username: "",
  host: "",
  port: "",
  environment: "production",
  database_name: "",
  schema_name: "",
  connection_string: "",
  ssl_enabled: false,
  additional_params: {},
  value: "",
};

/** Form values of a stored credential, without its secret, which edits do not need. */
export function formOf(credential: Credential): CredentialFormValues {
  return {
    name: credential.name,
    type: credential.type,
    username: credential.username ?? "",
    host: credential.host ?? "",
    port: credential.port === null ? "" : String(credential.port),
    environment: credential.environment,
    database_name: credential.database_name ?? "",
    schema_name: credential.schema_name ?? "",
    connection_string: credential.connection_string ?? "",
    ssl_enabled: credential.ssl_enabled,
    additional_params: credential.additional_params,
    value: "",
  };
}

/** Types with multi-line secrets: keys and certificates. */
export const isMultiLine = (type: CredentialType): boolean => type === "ssh" || type === "certificate";

/** Types other than databases whose verification reads additional parameters. */
const WITH_PARAMS: readonly CredentialType[] = ["password", "server", "api_token", "certificate", "application", "api"];
export const hasAdditionalParams = (type: CredentialType): boolean =>
  isDatabaseType(type) || WITH_PARAMS.includes(type);

/** The fields that decide the connector, together with the protocol among the parameters. */
export const kindOf = ({ type, connection_string }: CredentialFormValues): EntryKind => ({ type, connection_string });

/** CRED-35: the port after a change of type. Keeps a typed port and replaces a prefilled one. */
export function portAfterType(port: string, before: CredentialType, after: CredentialType): string {
  const isUntouched = port.trim() === "" || port === String(DEFAULT_PORTS[before] ?? "");
  if (!isUntouched) return port;
  return String(DEFAULT_PORTS[after] ?? "");
}

/** CRED-37: converts empty text to null. */
const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** CRED-09: sent as an integer. Other text becomes NaN, which validation rejects. */
const portOf = (text: string): number | null => (text.trim() === "" ? null : Number(text));

type Sent = z.input<typeof NewCredential>;

/** The payload without the secret. Only database types send database fields. */
export function payloadOf(values: CredentialFormValues): Required<Omit<Sent, "value">> {
  const isDatabase = isDatabaseType(values.type);
  return {
    name: values.name,
    type: values.type,
    username: textOrNull(values.username),
    host: textOrNull(values.host),
    port: portOf(values.port),
    environment: values.environment,
    database_name: isDatabase ? textOrNull(values.database_name) : null,
    schema_name: isDatabase ? textOrNull(values.schema_name) : null,
    connection_string: isDatabase ? textOrNull(values.connection_string) : null,
    ssl_enabled: isDatabase && values.ssl_enabled,
    additional_params: values.additional_params,
  };
}

export const newPayloadOf = (values: CredentialFormValues): Sent => ({ ...payloadOf(values), value: values.value });

export const editPayloadOf = (values: CredentialFormValues): NonNullable<InputOf<typeof updateCredential>["body"]> => ({
  ...payloadOf(values),
  ...(values.value === "" ? {} : { value: values.value }),
});

export type CredentialFormMode = "add" | "edit";
export type CredentialFormErrors = Partial<Record<keyof CredentialFormValues | `additional_params.${string}`, string>>;

const PORT_RANGE = "Port must be between 1 and 65535";

/** The described parameters, and their values when the form was opened. */
export interface ParameterContext {
  fields: readonly ParameterField[];
  stored: Params;
}

const fieldAt = (path: readonly PropertyKey[]): string => path.join(".");

/**
 * The contract's validation, with a clearer text for invalid numbers, and that of the described parameters. An empty
 * result means the form is valid.
 */
export function checkForm(
  values: CredentialFormValues,
  mode: CredentialFormMode,
  { fields, stored }: ParameterContext = { fields: [], stored: {} },
): CredentialFormErrors {
  const rules: CredentialFormErrors =
    mode === "add"
      ? firstObjections(NewCredential, newPayloadOf(values), fieldAt)
      : firstObjections(CredentialEdit, editPayloadOf(values), fieldAt);
  const parameters = [...parameterErrors(fields, values.additional_params, stored)];
  return {
    ...rules,
    ...(rules.port === undefined ? {} : { port: PORT_RANGE }),
    ...Object.fromEntries(parameters.map(([name, message]) => [`additional_params.${name}`, message])),
  };
}
