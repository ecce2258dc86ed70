// The fields of an account that users edit, each written once (docs/adding-a-field.md).
import { z } from "zod";
import { ConnectionMethod, SystemType } from "./account-types.ts";
import { namesOf, type FieldList } from "./field-list.ts";
import { oneLine, optionalLines, optionalText } from "./fields.ts";
import { CONNECTION_FIELD_NAMES } from "./secrets.ts";
import { Tags } from "./tags.ts";

interface DetailLook {
  label: string;
  placeholder?: string;
  maxLength: number;
  /** Searches for accounts read this field too. */
  isSearched?: boolean;
}

/** An optional text that the product stores and shows, without acting on it. */
const detail = (look: DetailLook) => ({
  ...look,
  input: optionalText(look.maxLength),
  shown: z.string().nullable(),
});

/** In the order of the form and the account's page. */
export const ACCOUNT_DETAILS = {
  account_type: detail({ label: "Account Type", placeholder: "Service account", maxLength: 100 }),
};
export type AccountDetail = keyof typeof ACCOUNT_DETAILS;
export const ACCOUNT_DETAIL_NAMES = namesOf(ACCOUNT_DETAILS);
export const SEARCHED_DETAIL_NAMES = ACCOUNT_DETAIL_NAMES.filter((name) => ACCOUNT_DETAILS[name].isSearched === true);

/** The fields in the table `accounts`. */
export const ACCOUNT_FIELDS = {
  system_type: { input: SystemType, shown: SystemType },
  connection_method: { input: ConnectionMethod, shown: ConnectionMethod },
  ...ACCOUNT_DETAILS,
  notes: { input: optionalLines(5000), shown: z.string().nullable() },
  /** Omitted by an edit: the stored ones stay. */
  tags: { input: Tags.optional(), shown: z.array(z.string()) },
} satisfies FieldList;
export type AccountField = keyof typeof ACCOUNT_FIELDS;
export const ACCOUNT_FIELD_NAMES = namesOf(ACCOUNT_FIELDS);

const required = (most: number, missing: string) => ({
  input: oneLine(missing).min(1, missing).max(most),
  shown: z.string(),
});

/** The account's name, and where the product logs in. */
export const LOGIN_FIELDS = {
  name: required(100, "Account name is required"),
  /** Shown as `hostname_ip`. */
  hostname: required(253, "Hostname/IP is required"),
  username: required(128, "Username is required"),
} satisfies FieldList;

/** The columns of an import, in the order that the import dialog shows. */
export const ACCOUNT_IMPORT_COLUMNS = [
  ...namesOf(LOGIN_FIELDS),
  "password",
  "platform",
  "safe",
  "system_type",
  "connection_method",
  ...CONNECTION_FIELD_NAMES,
  ...ACCOUNT_DETAIL_NAMES,
  "tags",
  "notes",
] as const;
