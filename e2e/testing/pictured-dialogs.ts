// The dialogs in the pictures of `npm run pictures`, each opened from its page through its real buttons.
import type { Locator, Page } from "playwright-core";

/** A button, or an entry of the menu that the previous step opened, by its name. */
export interface PicturedDialog {
  name: string;
  path: string;
  steps: readonly string[];
}

export interface PicturedIds {
  accountId: string;
  safeId: string;
}

/** The dialogs of an administrator. The names are those of `fillServer`. */
export const dialogsOf = ({ accountId, safeId }: PicturedIds): PicturedDialog[] => {
  const account = `/accounts/${accountId}`;
  const safe = `/safes/${safeId}`;
  const list: readonly [name: string, path: string, ...steps: string[]][] = [
    ["account-add", "/accounts", "Add Account"],
    ["account-import", "/accounts", "More actions", "Import from CSV"],
    ["account-edit", account, "Edit Account"],
    ["account-delete", account, "Delete Account"],
    ["account-move", account, "Move to Another Safe"],
    ["account-password", account, "Show Password"],
    ["account-rotate", account, "Rotate Password"],
    ["account-store-password", account, "Store a Known Password"],
    ["account-history", account, "Validation History"],
    ["account-dependent", account, "Add"],
    ["safe-create", "/safes", "Create Safe"],
    ["safe-edit", "/safes", "Edit"],
    ["safe-delete", "/safes", "Actions for Backup", "Delete"],
    ["safe-member-add", `${safe}?tab=members`, "Add Member"],
    ["safe-member-edit", `${safe}?tab=members`, "Edit carl"],
    ["safe-member-remove", `${safe}?tab=members`, "Remove carl"],
    ["credential-add", "/vault", "Add Credential"],
    ["credential-details", "/vault", "Quick View"],
    ["credential-edit", "/vault", "Edit"],
    ["credential-delete", "/vault", "Actions for Mail gateway", "Delete"],
    ["discovery-target", "/discovery", "Add Discovery Target"],
    ["discovery-rules", "/discovery?tab=accounts", "Rules"],
    ["finding-rules", "/discovery?tab=findings", "Rules"],
    ["access-request", "/jit-access", "New Request"],
    ["access-request-details", "/jit-access?tab=active", "Details"],
    ["recordings-search", "/sessions", "Search Recordings"],
    ["validation-settings", "/validation-dashboard", "Dashboard settings"],
    ["audit-sink", "/integrations", "Add Sink"],
    ["audit-witness", "/integrations", "Watch a Log"],
    ["user-role", "/admin", "Actions for judy", "Make Manager"],
    ["user-reset-link", "/admin", "Actions for judy", "Create reset link"],
    ["user-reset-factors", "/admin", "Actions for judy", "Reset factors"],
    ["group-create", "/admin/groups", "Create Group"],
    ["platform-create", "/admin/platforms", "Create Platform"],
    ["platform-edit", "/admin/platforms", "Edit Windows"],
    ["platform-duplicate", "/admin/platforms", "Duplicate Windows"],
    ["platform-delete", "/admin/platforms", "Delete Windows"],
    ["factor-add", "/profile", "Add authenticator app"],
    ["sessions-end", "/profile", "End all others"],
    ["ssh-key-add", "/profile", "Add SSH key"],
    ["token-create", "/profile", "Create token"],
  ];
  return list.map(([name, path, ...steps]) => ({ name, path, steps }));
};

/** Dialogs before the sign-in. */
export const VISITOR_DIALOGS: readonly PicturedDialog[] = [
  { name: "reset-password", path: "/auth", steps: ["Reset password"] },
];

/** Opens the dialog from its page, and waits for its content. */
export async function openDialog(page: Page, { path, steps }: PicturedDialog): Promise<Locator> {
  await page.goto(path);
  for (const name of steps) {
    const button = page.getByRole("button", { name, exact: true });
    await button
      .or(page.getByRole("menuitem", { name, exact: true }))
      .first()
      .click({ timeout: 10_000 });
  }
  const dialog = page.getByRole("dialog").or(page.getByRole("alertdialog")).last();
  await dialog.getByRole("heading").first().waitFor();
  await page.waitForFunction(() => document.querySelector("[data-loading]") === null);
  return dialog;
}
