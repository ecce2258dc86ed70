// Values, validation, payload and labels of the dependent form.
import {
  DependentConfig,
  otherAccountOf,
  type DEPENDENT_KINDS,
  type Dependent,
  type InputOf,
  type addDependent,
} from "@strongroom/contract";
import { firstObjections } from "#shared/api/field-errors.ts";
import type { Found } from "#shared/ui/search-select.tsx";

/** The kinds that users add themselves. */
export type DependentKind = (typeof DEPENDENT_KINDS)[number];

export interface DependentFormValues {
  name: string;
  kind: DependentKind;
  /** The other account, or the account used to reach the dependent. */
  account: Found | null;
  path: string;
  template: string;
  mode: string;
  reload_unit: string;
  url: string;
  username: string;
  host: string;
  port: number | string;
}

export const EMPTY_DEPENDENT: DependentFormValues = {
  name: "",
  kind: "account",
  account: null,
  path: "",
  template: "password={{password}}\n",
  mode: "600",
  reload_unit: "",
  url: "",
  username: "",
  host: "",
  port: 22,
};

export const KIND_LABELS: Record<DependentKind, string> = {
  account: "Another stored account",
  "authorized-key": "Another login with the same SSH key",
  "ssh-file": "A file on a Linux host",
  webhook: "A webhook",
  "linked-user": "A user on another database server",
};

export const KIND_HINTS: Record<DependentKind, string> = {
  account: "It has the same password. The new password is stored there too and verified with a login.",
  "authorized-key":
    "The new public key takes the old one's place in its authorized_keys, after the new key has logged in. For accounts with an SSH key.",
  "ssh-file": "The file is rewritten over SSH through a stored account.",
  webhook: "It receives a signed call when the password has changed. The call never contains the password.",
  "linked-user": "A PostgreSQL or MySQL user gets the same password through a stored account.",
};

type Body = NonNullable<InputOf<typeof addDependent>["body"]>;

export function payloadOf(values: DependentFormValues): Body {
  return { name: values.name.trim(), config: configOf(values) };
}

function configOf(values: DependentFormValues): Body["config"] {
  const { kind, path, template, mode, reload_unit: unit, url, username, host, port } = values;
  const account = values.account?.value ?? "";
  switch (kind) {
    case "account":
      return { kind, account_id: account };
    case "authorized-key":
      return { kind, host: host.trim(), port: Number(port), username, host_key: null };
    case "ssh-file":
      return { kind, via_account_id: account, path, template, mode, reload_unit: unit.trim() === "" ? null : unit };
    case "webhook":
      return { kind, url };
    case "linked-user":
      return { kind, via_account_id: account, username };
  }
  return kind satisfies never;
}

export type DependentFormErrors = Partial<Record<keyof DependentFormValues, string>>;

export const isField = (path: string): path is keyof DependentFormValues => Object.hasOwn(EMPTY_DEPENDENT, path);

/** Maps a path of the contract, with or without a leading `config`, to its form field. */
export function fieldAt(path: readonly PropertyKey[]): string {
  const field = String(path.find((part) => part !== "config") ?? "");
  return field.endsWith("account_id") ? "account" : field;
}

/** Errors of empty fields. */
const MISSING: DependentFormErrors = {
  name: "Name is required",
  path: "File is required",
  url: "Address is required",
  username: "User is required",
  host: "Host is required",
};

const WITHOUT_ACCOUNT: ReadonlySet<DependentKind> = new Set(["webhook", "authorized-key"]);

/** An empty result means the form is valid. */
export function checkDependent(values: DependentFormValues): DependentFormErrors {
  const objections = firstObjections<keyof DependentFormValues>(DependentConfig, configOf(values), fieldAt);
  if (!WITHOUT_ACCOUNT.has(values.kind) && values.account === null) objections.account = "Choose an account";
  if (values.name.trim() === "") objections.name = "";
  const told = Object.entries(objections).map(([field, objection]) => {
    const name = field as keyof DependentFormValues;
    const isEmpty = typeof values[name] === "string" && values[name].trim() === "";
    return [name, isEmpty ? (MISSING[name] ?? objection) : objection] as const;
  });
  return Object.fromEntries(told);
}

export const STATE_BADGES = {
  current: { status: "verified", label: "Up to date" },
  pending: { status: "active", label: "Not updated yet" },
  waiting: { status: "pending", label: "Retrying" },
  attention: { status: "failed", label: "Needs attention" },
} as const satisfies Record<Dependent["state"], { status: string; label: string }>;

/** The location of a dependent, without the account used to reach it. */
export function placeOf({ config }: Pick<Dependent, "config">): string {
  if (config === null) return "Visible only to secret managers";
  switch (config.kind) {
    case "account":
      return "Stored account";
    case "ssh-file":
    case "file-value":
    case "file-reference":
      return config.path;
    case "webhook":
      return config.url;
    case "authorized-key":
      return `${config.username} on ${config.host}${config.port === 22 ? "" : `:${config.port}`}`;
    case "linked-user":
      return `Database user ${config.username}`;
  }
  return config satisfies never;
}

/** The account that is the dependent, or that reaches it; null without such an account. */
export const accountOf = ({ config }: Pick<Dependent, "config">): string | null =>
  config === null ? null : otherAccountOf(config);
