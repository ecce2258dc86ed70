// The filters and orders of the list of accounts, and of its export.
import { z } from "zod";
import { SystemType } from "./account-types.ts";
import { PlatformId, SafeId, sortBy } from "./fields.ts";
import { Tag } from "./tags.ts";
import { AccountValidationFilter } from "./verification-status.ts";

/** Days. The ages of secrets that the list offers. */
export const SECRET_AGES = [30, 90, 180, 365] as const;

export const AccountListFilter = {
  status: z.enum(["rotation_due", "active"]).optional(),
  /** Matches name, user name, host, tags or safe. */
  search: z.string().trim().max(100).optional(),
  safe_id: SafeId.optional(),
  platform_id: PlatformId.optional(),
  system_type: SystemType.optional(),
  validation_status: AccountValidationFilter.optional(),
  tag: Tag.optional(),
  /** Exactly this host; case does not matter. */
  host: z.string().trim().min(1).max(253).optional(),
  /** Only accounts whose secret was stored or rotated at least this many days ago. */
  secret_age: z.coerce.number().int().min(1).max(3650).optional(),
};

/** The fields of an account by which its list can be sorted. */
export const ACCOUNT_SORT_FIELDS = [
  "name",
  "username",
  "hostname_ip",
  "last_validated_at",
  "last_rotated_at",
  "created_at",
] as const;
export type AccountSortField = (typeof ACCOUNT_SORT_FIELDS)[number];

export const AccountSort = sortBy(ACCOUNT_SORT_FIELDS);
export type AccountSort = z.infer<typeof AccountSort>;
