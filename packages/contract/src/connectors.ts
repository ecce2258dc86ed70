// Connectors as they describe themselves: the entries that they serve, their parameters and capabilities. The account
// and credential forms are generated from these descriptions.
import { z } from "zod";
import { PROTOCOL_TYPES } from "./credential-types.ts";
import { endpoint } from "./endpoint.ts";

export const CONNECTOR_ICONS = [
  "terminal",
  "database",
  "directory",
  "windows",
  "network",
  "queue",
  "web",
  "cloud",
  "certificate",
  "key",
] as const;
export const ConnectorIcon = z.enum(CONNECTOR_ICONS);
export type ConnectorIcon = z.infer<typeof ConnectorIcon>;

const Option = z.object({ value: z.string(), label: z.string() });

const field = {
  /** The key in `additional_params`; a dot separates the keys of nested objects. */
  name: z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)?$/),
  label: z.string(),
  help: z.string().optional(),
  is_required: z.boolean().optional(),
  /** Shown on request only. */
  is_advanced: z.boolean().optional(),
  /** Only for these protocols of the connector. */
  protocols: z.array(z.string()).optional(),
};

const text = {
  kind: z.literal("text"),
  /** An example or the default value. */
  placeholder: z.string().optional(),
  max_length: z.number().int().optional(),
  /** A regular expression for the whole value, and the message for other values. */
  pattern: z.object({ source: z.string(), message: z.string() }).optional(),
};
const choice = { kind: z.literal("choice"), options: z.array(Option) };
const flag = {
  kind: z.literal("switch"),
  /** The value when the parameter is absent. */
  default: z.boolean(),
};

/** A column of a `rows` parameter. */
export const ParameterColumn = z.discriminatedUnion("kind", [
  z.object({ name: z.string(), label: z.string(), ...text }),
  z.object({ name: z.string(), label: z.string(), ...choice }),
  z.object({ name: z.string(), label: z.string(), ...flag }),
]);
export type ParameterColumn = z.infer<typeof ParameterColumn>;

/** One parameter of a connector, in JSON so that the API can send it to a form. */
export const ParameterField = z.discriminatedUnion("kind", [
  z.object({ ...field, ...text }),
  z.object({
    ...field,
    ...choice,
    /** The meaning of an absent value. */
    placeholder: z.string().optional(),
    /** Stored when the protocol is chosen. */
    initial: z.string().optional(),
  }),
  z.object({ ...field, ...flag }),
  z.object({
    ...field,
    kind: z.literal("number"),
    min: z.number().int(),
    max: z.number().int(),
    placeholder: z.string().optional(),
  }),
  /** Multi-line text, such as a certificate. */
  z.object({ ...field, kind: z.literal("lines"), placeholder: z.string().optional() }),
  /** A list of strings. */
  z.object({ ...field, kind: z.literal("list"), placeholder: z.string().optional() }),
  /** An object of strings. */
  z.object({ ...field, kind: z.literal("pairs") }),
  /** A list of objects with the same fields. */
  z.object({ ...field, kind: z.literal("rows"), columns: z.array(ParameterColumn) }),
]);
export type ParameterField = z.infer<typeof ParameterField>;

export const ConnectorProtocol = z.object({
  /** The value of the parameter `protocol`, in lower case. */
  value: z.string(),
  label: z.string(),
  /** If null, an entry keeps the port of its own system. */
  port: z.number().int().nullable(),
});
export type ConnectorProtocol = z.infer<typeof ConnectorProtocol>;

export const ConnectorDescription = z.object({
  id: z.string(),
  label: z.string(),
  icon: ConnectorIcon,
  default_port: z.number().int().nullable(),
  /** The types of entries that the connector serves without a protocol. */
  types: z.array(z.string()),
  /** The values of the parameter `protocol` that select the connector. */
  protocols: z.array(ConnectorProtocol),
  /** The schemes of connection strings that select the connector for entries of the type `database`. */
  schemes: z.array(z.string()),
  parameters: z.array(ParameterField),
  capabilities: z.object({
    /** Whether the secret can be changed by logging in with it. */
    can_change: z.boolean(),
    /** Whether a reconcile account can set the secret. */
    can_reconcile: z.boolean(),
    can_list_accounts: z.boolean(),
  }),
  /** False when the connector was tested only against a fake. */
  is_proven: z.boolean(),
});
export type ConnectorDescription = z.infer<typeof ConnectorDescription>;

export const listConnectors = endpoint({
  method: "GET",
  path: "/api/v1/connectors",
  summary: "The supported systems, with their parameters and capabilities",
  reply: z.object({ connectors: z.array(ConnectorDescription) }),
  needs: "signed-in",
  scope: "platform.read",
  audit: "none",
  whilePending: true,
});

/** The facts that decide the connector of an entry, as far as a form knows them. */
export interface ConnectorChoice {
  type: string;
  connection_string: string | null;
  protocol: unknown;
}

/** The connector of an entry, or null when it is not certain. Ports are not considered. */
export function describedConnector(
  connectors: readonly ConnectorDescription[],
  { type, connection_string, protocol }: ConnectorChoice,
): ConnectorDescription | null {
  if (isProtocolType(type) && protocol !== undefined) {
    const named = typeof protocol === "string" ? protocol.toLowerCase() : null;
    return connectors.find(({ protocols }) => protocols.some(({ value }) => value === named)) ?? null;
  }
  if (type === "database") {
    const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(connection_string ?? "")?.[1]?.toLowerCase();
    return connectors.find(({ schemes }) => scheme !== undefined && schemes.includes(scheme)) ?? null;
  }
  return connectors.find(({ types }) => types.includes(type)) ?? null;
}

/** Whether the parameter `protocol` can select the connector. */
export const isProtocolType = (type: string): boolean => (PROTOCOL_TYPES as readonly string[]).includes(type);

/** The parameters that a form shows for an entry, in the connector's order. */
export function parametersFor(connector: ConnectorDescription | null, protocol: unknown): readonly ParameterField[] {
  if (connector === null) return [];
  const named = typeof protocol === "string" ? protocol.toLowerCase() : "";
  return connector.parameters.filter(({ protocols }) => protocols === undefined || protocols.includes(named));
}

/** The schema of a parameter's value. Forms report its messages; connectors check the values themselves. */
export function parameterSchema(parameter: ParameterField): z.ZodType {
  const required = `${parameter.label} is required`;
  switch (parameter.kind) {
    case "text": {
      const { max_length = 2000, pattern } = parameter;
      const known = z.string().max(max_length, `${parameter.label} can have at most ${max_length} characters`);
      const checked =
        pattern === undefined ? known : known.regex(new RegExp(`^(?:${pattern.source})$`), pattern.message);
      return orAbsent(parameter, z.union([z.number().transform(String), z.string()]).pipe(checked), required);
    }
    case "lines":
      return orAbsent(parameter, z.string(), required);
    case "choice":
      return orAbsent(parameter, z.string(), required);
    case "switch":
      return orAbsent(parameter, z.boolean(), required);
    case "number": {
      const { min, max } = parameter;
      const message = `${parameter.label} must be a number from ${min} to ${max}`;
      const digits = z.string().regex(/^\d+$/, message).transform(Number);
      return orAbsent(
        parameter,
        z.union([z.number(), digits], message).pipe(z.int(message).min(min, message).max(max, message)),
        required,
      );
    }
    case "list":
      return orAbsent(parameter, z.array(z.string()), required);
    case "pairs":
      return orAbsent(parameter, z.record(z.string(), z.string()), required);
    case "rows":
      return orAbsent(parameter, z.array(z.record(z.string(), z.json())), required);
    default:
      return parameter satisfies never;
  }
}

function orAbsent({ is_required = false }: ParameterField, schema: z.ZodType, message: string): z.ZodType {
  return schema.optional().refine((value) => !is_required || value !== undefined, message);
}
