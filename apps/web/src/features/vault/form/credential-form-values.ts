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
  type updateCredential,
} from "@strongroom/contract";
import { zod4Resolver } from "mantine-form-zod-resolver";
import type { z } from "zod";

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
  /** JSON text of an object. */
  additional_params: string;
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
  additional_params: "{}",
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
    additional_params: JSON.stringify(credential.additional_params, null, 2),
    value: "",
  };
}

/** Types with multi-line secrets: keys and certificates. */
export const isMultiLine = (type: CredentialType): boolean => type === "ssh" || type === "certificate";

/** Types other than databases whose verification reads additional parameters. */
const WITH_PARAMS: readonly CredentialType[] = ["password", "server", "api_token", "certificate", "application", "api"];
export const hasAdditionalParams = (type: CredentialType): boolean =>
  isDatabaseType(type) || WITH_PARAMS.includes(type);

const NOT_ENCRYPTED = "Stored unencrypted: do not enter secrets";
/** Types that several protocols can verify; the parameter `protocol` selects one. */
const BY_PROTOCOL: readonly CredentialType[] = ["password", "server", "application"];
export const paramsHelp = (type: CredentialType): string =>
  BY_PROTOCOL.includes(type)
    ? `Options for verification, such as {"protocol": "active-directory", "domain": "corp.example"}. ${NOT_ENCRYPTED}`
    : NOT_ENCRYPTED;

/** CRED-35: the port after a change of type. Keeps a typed port and replaces a prefilled one. */
export function portAfterType(port: string, before: CredentialType, after: CredentialType): string {
  const isUntouched = port.trim() === "" || port === String(DEFAULT_PORTS[before] ?? "");
  if (!isUntouched) return port;
  return String(DEFAULT_PORTS[after] ?? "");
}

export const INVALID_JSON = "Additional parameters must be valid JSON";
export const NOT_AN_OBJECT = 'Additional parameters must be a JSON object, such as {"key": "value"}';

type Params = Record<string, z.core.util.JSONType>;

/** CRED-34. Empty text counts as `{}`. */
function parseParams(text: string): { params: Params } | { error: string } {
  if (text.trim() === "") return { params: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: INVALID_JSON };
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { params: value as Params } : { error: NOT_AN_OBJECT };
}

/** CRED-37: converts empty text to null. */
const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** CRED-09: sent as an integer. Other text becomes NaN, which validation rejects. */
const portOf = (text: string): number | null => (text.trim() === "" ? null : Number(text));

type Sent = z.input<typeof NewCredential>;

/** The payload without the secret. Only database types send database fields. */
export function payloadOf(values: CredentialFormValues): Required<Omit<Sent, "value">> {
  const isDatabase = isDatabaseType(values.type);
  const parsed = parseParams(values.additional_params);
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
    additional_params: "params" in parsed ? parsed.params : {},
  };
}

export const newPayloadOf = (values: CredentialFormValues): Sent => ({ ...payloadOf(values), value: values.value });

export const editPayloadOf = (values: CredentialFormValues): NonNullable<InputOf<typeof updateCredential>["body"]> => ({
  ...payloadOf(values),
  ...(values.value === "" ? {} : { value: values.value }),
});

export type CredentialFormMode = "add" | "edit";
export type CredentialFormErrors = Partial<Record<keyof CredentialFormValues, string>>;

const PORT_RANGE = "Port must be between 1 and 65535";

/**
 * The contract's validation, with clearer texts for invalid numbers and JSON. An empty result means the form is valid.
 */
export function checkForm(values: CredentialFormValues, mode: CredentialFormMode): CredentialFormErrors {
  const rules: CredentialFormErrors =
    mode === "add"
      ? zod4Resolver(NewCredential)(newPayloadOf(values))
      : zod4Resolver(CredentialEdit)(editPayloadOf(values));
  const parsed = parseParams(values.additional_params);
  return {
    ...rules,
    ...(rules.port === undefined ? {} : { port: PORT_RANGE }),
    ...(hasAdditionalParams(values.type) && "error" in parsed ? { additional_params: parsed.error } : {}),
  };
}
