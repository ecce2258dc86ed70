// Bulk operations on accounts, and accounts as CSV.
import { z } from "zod";
import { AccountListFilter, AccountSort } from "./account-list.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, Confirmation, SafeId } from "./fields.ts";
import { RunId } from "./verification.ts";

export const BULK_ACTIONS = ["validate", "enable", "disable", "move", "delete"] as const;

/** Each account is processed separately: failures are listed and the rest succeed. */
export const bulkAccounts = endpoint({
  method: "POST",
  path: "/api/v1/accounts/bulk",
  summary: "Apply one action to several accounts",
  body: z
    .strictObject({
      action: z.enum(BULK_ACTIONS),
      account_ids: z.array(AccountId).min(1).max(1000),
      /** For `move`. */
      safe_id: SafeId.optional(),
      confirmation: Confirmation,
    })
    .refine(({ action, safe_id }) => (action === "move") === (safe_id !== undefined), {
      path: ["safe_id"],
      message: "A move requires a safe; other actions do not allow one",
    }),
  reply: z.object({
    done: z.array(AccountId),
    failed: z.array(z.object({ id: AccountId, code: z.string(), message: z.string() })),
    message: z.string(),
    /** For `validate`: the verification run that was started. */
    run_id: RunId.nullable(),
  }),
  needs: "account.use",
  scope: "account.manage",
  audit: "account.bulk-changed",
  gives: "secret",
  stepUp: "when-giving",
  givesByToken: "safe.share",
});

/**
 * CSV (RFC 4180) with a header line that names `ACCOUNT_IMPORT_COLUMNS`. Platform and safe by name or id. All or
 * nothing, unless `skip_bad_lines`.
 */
export const importAccounts = endpoint({
  method: "POST",
  path: "/api/v1/accounts/import",
  summary: "Import accounts from CSV; a dry run reports every invalid line and stores nothing",
  body: z.strictObject({
    csv: z.string().min(1, "The file is empty").max(900_000, "A file can have at most 900,000 characters"),
    dry_run: z.boolean().default(true),
    skip_bad_lines: z.boolean().default(false),
    /** For lines without a safe. */
    safe_id: SafeId.optional(),
  }),
  reply: z.object({
    imported: z.number().int(),
    good: z.number().int(),
    /** `line` counts from 1, the header included. INVARIANT: no message repeats a value of the line. */
    bad: z.array(z.object({ line: z.number().int(), field: z.string().nullable(), message: z.string() })),
    message: z.string(),
  }),
  needs: "account.create",
  audit: "account.imported",
  gives: "nothing",
});

/** Cells that a spreadsheet would interpret as a formula are prefixed with an apostrophe (CWE-1236). */
export const exportAccounts = endpoint({
  method: "GET",
  path: "/api/v1/accounts/export",
  summary: "The accounts that the list shows for the same filters and order, as CSV without secrets",
  query: z.object({ ...AccountListFilter, sort: AccountSort.optional() }),
  reply: { stream: "text/csv" },
  needs: "account.export",
  audit: "account.exported",
  stepUp: true,
});
