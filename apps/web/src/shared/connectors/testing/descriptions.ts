// Descriptions for tests: some as the server sends them, and one of a connector that does not exist, with every kind of
// parameter.
import type { ConnectorDescription } from "@strongroom/contract";

const aConnector = (
  given: Pick<ConnectorDescription, "id" | "label"> & Partial<ConnectorDescription>,
): ConnectorDescription => ({
  icon: "database",
  default_port: null,
  types: [],
  protocols: [],
  schemes: [],
  parameters: [],
  capabilities: { can_change: true, can_reconcile: true, can_list_accounts: true },
  is_proven: true,
  ...given,
});

const CHECKED = [{ value: "verify-full", label: "Check certificate and name" }];

export const CONNECTORS: ConnectorDescription[] = [
  aConnector({ id: "linux", label: "Linux", icon: "terminal", types: ["ssh", "server", "password"] }),
  aConnector({
    id: "postgresql",
    label: "PostgreSQL",
    types: ["postgresql"],
    schemes: ["postgresql"],
    parameters: [{ kind: "choice", name: "sslmode", label: "TLS mode", options: CHECKED }],
  }),
  aConnector({
    id: "redis",
    label: "Redis",
    protocols: [{ value: "redis", label: "Redis", port: 6379 }],
    parameters: [
      { kind: "choice", name: "sslmode", label: "TLS mode", options: CHECKED, initial: "verify-full" },
      { kind: "lines", name: "ca", label: "Trusted certificates", is_advanced: true },
    ],
  }),
  aConnector({
    id: "active-directory",
    label: "Active Directory",
    icon: "windows",
    protocols: [{ value: "active-directory", label: "Active Directory", port: null }],
    parameters: [
      { kind: "text", name: "domain", label: "Domain", placeholder: "corp.example" },
      {
        kind: "text",
        name: "directory_server",
        label: "Domain controller",
        pattern: { source: "[a-z0-9.]+", message: "Enter a host name" },
      },
    ],
  }),
  aConnector({
    id: "invented",
    label: "Invented",
    icon: "queue",
    protocols: [{ value: "invented", label: "Invented protocol", port: 4711 }],
    parameters: [
      { kind: "text", name: "realm", label: "Realm", is_required: true },
      { kind: "number", name: "tries", label: "Tries", min: 1, max: 9 },
      { kind: "choice", name: "mode", label: "Mode", options: [{ value: "fast", label: "Fast" }] },
      { kind: "switch", name: "strict", label: "Strict", default: true },
      { kind: "list", name: "groups", label: "Groups" },
      { kind: "pairs", name: "body", label: "Body" },
      {
        kind: "rows",
        name: "script.steps",
        label: "Steps",
        columns: [
          { kind: "text", name: "expect", label: "Prompt" },
          { kind: "switch", name: "optional", label: "Optional", default: false },
        ],
      },
    ],
  }),
];
