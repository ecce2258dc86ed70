// The dialogs in the screenshots of `npm run pictures`, each opened from its page through its real controls.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";

/** A control or an entry of an open menu, by its name; or text for a field, by its label. */
type PictureStep = string | RegExp | { field: string; text: string };

export interface PicturedDialog {
  name: string;
  path: string;
  steps: readonly PictureStep[];
}

export interface PicturedIds {
  accountId: string;
  safeId: string;
  /** An account on a real host. */
  sshAccountId: string;
  /** An account whose host has presented a different key. */
  alarmId: string;
  reviewId: string;
}

type Row = readonly [name: string, path: string, ...steps: PictureStep[]];

const accountDialogs = ({ accountId, sshAccountId, alarmId }: PicturedIds): Row[] => {
  const account = `/accounts/${accountId}`;
  return [
    ["account-add", "/accounts", "Add Account"],
    ["account-import", "/accounts", "More actions", "Import from CSV"],
    ["account-edit", account, "Edit Account"],
    ["account-delete", account, "Delete Account"],
    ["account-move", account, "Move to Another Safe"],
    ["account-password", account, "Show Password"],
    ["account-rotate", account, "Rotate Password"],
    ["account-store-password", account, "Store a Known Password"],
    ["account-history", account, "Validation History"],
    ["account-history-verified", `/accounts/${sshAccountId}`, "Validation History"],
    ["account-dependent", account, "Add"],
    ["account-dependent-remove", account, "Remove Backup job"],
    ["account-host-key", `/accounts/${alarmId}`, "Accept New Host Key"],
    ["accounts-rotate", "/accounts", /^Select web-03 deploy/, "Rotate"],
    ["accounts-move", "/accounts", /^Select web-03 deploy/, "More", "Move"],
    ["accounts-view-save", "/accounts", "Views", "Save Current View"],
    ["accounts-view-delete", "/accounts", "Views", "Delete view Windows servers"],
    ["validation-settings", "/validation-dashboard", "Dashboard Settings"],
    ["validation-bulk", "/validation-dashboard?tab=accounts", "Bulk Validate Critical"],
    ["validation-jit-session", "/validation-dashboard?tab=jit", /^Details of /],
  ];
};

const safeDialogs = ({ safeId }: PicturedIds): Row[] => {
  const members = `/safes/${safeId}?tab=members`;
  return [
    ["safe-create", "/safes", "Create Safe"],
    ["safe-edit", "/safes", "Edit"],
    ["safe-delete", "/safes", "Actions for Backup", "Delete"],
    ["safe-member-add", members, "Add Member"],
    ["safe-member-edit", members, "Edit carl"],
    ["safe-member-remove", members, "Remove carl"],
    ["credential-add", "/vault", "Add Credential"],
    ["credential-discard", "/vault", "Add Credential", { field: "Name", text: "Mail" }, "Close"],
    ["credential-details", "/vault", "Quick View"],
    ["credential-edit", "/vault", "Edit"],
    ["credential-delete", "/vault", "Actions for Mail gateway", "Delete"],
  ];
};

/** The scans that they cancel run for a few minutes only. */
const cancellations: readonly Row[] = [
  ["discovery-scan-cancel", "/discovery?tab=scans", "Cancel the scan of web-02"],
  ["discovery-range-cancel", "/discovery?view=ranges", "Cancel Branch office"],
  ["enhanced-scan-cancel", "/discovery?tab=enhanced-scans", "Cancel the enhanced scan of web-02"],
];

const discoveryDialogs: readonly Row[] = [
  ["discovery-target", "/discovery", "Add Discovery Target"],
  ["discovery-target-details", "/discovery?search=web-01", "Actions for web-01", "Details"],
  ["discovery-target-edit", "/discovery?search=web-01", "Actions for web-01", "Edit"],
  ["discovery-target-delete", "/discovery?search=web-01", "Actions for web-01", "Delete"],
  ["discovery-scan", "/discovery?search=web-01", "Scan web-01"],
  ["discovery-scan-several", "/discovery", "Select all loaded", "Scan"],
  ["enhanced-scan-several", "/discovery", "Select all loaded", "Enhanced Scan"],
  ["discovery-scan-details", "/discovery?tab=scans", "Details of the scan of web-01"],
  ["discovery-cloud", "/discovery?search=Production", "Actions for Production", "Find Cloud Resources"],
  ["discovery-range", "/discovery?view=ranges", "Scan IP Range"],
  ["discovery-range-hosts", "/discovery?view=ranges", "Hosts of Data centre"],
  ["discovery-network", "/discovery?view=ranges", "Allow Network"],
  ["discovery-network-remove", "/discovery?view=ranges", "Remove 192.0.2.0/24"],
  ["discovery-rules", "/discovery?tab=accounts", "Rules"],
  ["discovery-rule-add", "/discovery?tab=accounts", "Rules", "Add Rule"],
  ["discovery-rule-enable", "/discovery?tab=accounts", "Rules", "Enable Reject samples"],
  ["discovery-rule-delete", "/discovery?tab=accounts", "Rules", "Delete Reject samples"],
  ["discovered-details", "/discovery?tab=accounts", /^Details of /],
  ["discovered-approve", "/discovery?tab=accounts", /^Approve /],
  ["discovered-reject", "/discovery?tab=accounts", /^Reject /],
  ["discovery-paths", "/discovery?tab=accounts", /^Details of /, "Show Paths"],
  ["enhanced-scan", "/discovery?search=web-01", "Enhanced scan of web-01"],
  ["enhanced-scan-details", "/discovery?tab=enhanced-scans", "Details of the enhanced scan of web-01"],
  ["enhanced-scan-schedule-delete", "/discovery?tab=enhanced-scans", /^Delete the schedule of web-01/],
  ["finding-details", "/discovery?tab=findings", /^Details of /],
  ["finding-assign", "/discovery?tab=findings", /^Details of /, "Assign"],
  ["finding-rule-add", "/discovery?tab=findings", /^Details of /, "Add Rule"],
  ["finding-verify", "/discovery?tab=findings", /^Details of /, "Verify"],
  ["finding-vault", "/discovery?tab=findings", /^Details of /, "Vault"],
  ["finding-status", "/discovery?tab=findings", /^Details of /, "Change Status"],
  ["finding-rules", "/discovery?tab=findings", "Rules"],
  ["finding-rule-delete", "/discovery?tab=findings", "Rules", /^Delete the rule /],
  ["report-generate", "/discovery?tab=risk-assessment", "Generate Report"],
  ["report-schedule", "/discovery?tab=risk-assessment", "Schedule"],
  ["report-schedule-delete", "/discovery?tab=risk-assessment", /^Delete: /],
];

const accessDialogs = ({ reviewId }: PicturedIds): Row[] => {
  const review = `/access-control?tab=reviews&review=${reviewId}`;
  return [
    ["access-request", "/jit-access", "New Request"],
    ["access-break-glass", "/jit-access", "Break Glass"],
    ["access-request-details", "/jit-access?tab=active", "Details"],
    ["access-request-approve", "/jit-access", "Approve"],
    ["access-request-deny", "/jit-access", "Deny"],
    ["access-request-map", "/jit-access", "Map"],
    ["access-request-revoke", "/jit-access?tab=active", "Revoke"],
    ["access-request-review", "/jit-access?tab=active", "Review"],
    ["safe-access", "/access-control?tab=things", "View access to Backup"],
    ["review-start", "/access-control?tab=reviews", "Start Review"],
    ["review-close", review, "Close Review"],
    ["review-remove", review, "Remove carl in Backup"],
    ["review-remove-several", review, "Select carl in Backup", "Remove Selected"],
  ];
};

/** One recorded session is active and one has ended. */
const sessionDialogs = ({ sshAccountId }: PicturedIds): Row[] => [
  ["recordings-search", "/sessions", "Search Recordings"],
  ["session-watch", "/sessions", /^Watch Live: /],
  ["session-playback", "/sessions?status=completed", /^Playback: /],
  ["session-message", "/sessions", /^Actions for carl on /, "Message"],
  ["session-terminate", "/sessions", /^Terminate: /],
  ["session-hold", "/sessions?status=completed", /^Actions for carl on /, "Legal Hold"],
  ["session-files", `/accounts/${sshAccountId}`, "Connect", "Files"],
  ["session-folder", `/accounts/${sshAccountId}`, "Connect", "Files", "New Folder"],
  ["session-file-rename", `/accounts/${sshAccountId}`, "Connect", "Files", /^Rename: /],
  ["session-file-delete", `/accounts/${sshAccountId}`, "Connect", "Files", /^Delete: /],
];

const auditDialogs: readonly Row[] = [
  ["audit-sink", "/integrations", "Add Sink"],
  ["audit-sink-edit", "/integrations", "Edit Archive"],
  ["audit-sink-delete", "/integrations", "Delete Archive"],
  ["audit-witness", "/integrations", "Watch a Log"],
  ["audit-witness-forget", "/integrations", "Forget Second site"],
];

const adminDialogs: readonly Row[] = [
  ["user-invite", "/admin", "Invite User"],
  ["user-role", "/admin", "Actions for judy", "Make Manager"],
  ["user-disable", "/admin", "Actions for judy", "Disable"],
  ["user-delete", "/admin", "Actions for judy", "Delete"],
  ["user-tokens", "/admin", "Actions for judy", "API Tokens"],
  ["user-reset-link", "/admin", "Actions for judy", "Create Reset Link"],
  ["user-reset-factors", "/admin", "Actions for judy", "Reset Factors"],
  ["admin-reset-request", "/admin", "Actions for hana", "Request Password Reset"],
  ["admin-reset-confirm", "/admin?tab=resets", "Confirm"],
  ["machine-create", "/admin?tab=machines", "Create"],
  ["machine-edit", "/admin?tab=machines", "Actions for Deployment", "Edit"],
  ["machine-tokens", "/admin?tab=machines", "Actions for Deployment", "Tokens"],
  ["machine-token", "/admin?tab=machines", "Actions for Deployment", "Tokens", "Create Token"],
  ["machine-disable", "/admin?tab=machines", "Actions for Deployment", "Disable"],
  ["provider-oidc", "/admin?tab=providers", "Add Provider", "OpenID Connect"],
  ["provider-ldap", "/admin?tab=providers", "Add Provider", "LDAP directory"],
  ["provider-test", "/admin?tab=providers", "Test Company login"],
  ["provider-edit", "/admin?tab=providers", "Edit"],
  ["provider-delete", "/admin?tab=providers", "Delete"],
  ["root-key-replace", "/admin?tab=keys", "Replace the Root Key"],
  ["signing-key-replace", "/admin?tab=keys", "Replace the Signing Key"],
  ["ssh-ca-create", "/admin?tab=ssh-ca", /^Create /],
  ["group-create", "/admin/groups", "Create Group"],
  ["group-edit", "/admin/groups", "Edit"],
  ["group-delete", "/admin/groups", "Delete"],
  ["group-people", "/admin/groups", "People"],
  ["group-person-remove", "/admin/groups", "People", "Remove carl"],
  ["platform-create", "/admin/platforms", "Create Platform"],
  ["platform-edit", "/admin/platforms", "Edit Windows"],
  ["platform-duplicate", "/admin/platforms", "Duplicate Windows"],
  ["platform-delete", "/admin/platforms", "Delete Windows"],
];

const ownDialogs: readonly Row[] = [
  ["factor-add", "/profile", "Add Authenticator App"],
  ["sessions-end", "/profile", "End All Others"],
  ["session-end", "/profile", /^End session/],
  ["ssh-key-add", "/profile", "Add SSH Key"],
  ["ssh-key-remove", "/profile", "Remove Laptop"],
  ["token-create", "/profile", "Create Token"],
  ["token-revoke", "/profile", "Revoke Pipeline"],
];

/** The dialogs of an administrator. The names are those of `fillServer`, `fillObjects` and `fillTargets`. */
export const dialogsOf = (ids: PicturedIds): PicturedDialog[] =>
  [
    ...cancellations,
    ...accountDialogs(ids),
    ...safeDialogs(ids),
    ...discoveryDialogs,
    ...accessDialogs(ids),
    ...sessionDialogs(ids),
    ...auditDialogs,
    ...adminDialogs,
    ...ownDialogs,
  ].map(([name, path, ...steps]) => ({ name, path, steps }));

/** The dialogs of a user who has requested access. */
export const REQUESTER_DIALOGS: readonly PicturedDialog[] = [
  { name: "access-request-extend", path: "/jit-access?tab=active", steps: ["Extend"] },
  { name: "access-request-cancel", path: "/jit-access", steps: ["Cancel"] },
];

/** Titles of dialogs that have no screenshot, with the reason. */
const NOT_PICTURED: Readonly<Record<string, string>> = {
  "Accept the Database as It Is": "there only while something contradicts the audit trail",
  "Allow Access Before the Rotation": "there only while a rotation after a use has not ended",
  "Activate This CA Key": "there only before the CA key is rotated",
  "Cancel the Reset": "there only while a user's vault is closed after a reset",
  "Cancel this report?": "there only while a report is generated",
  "Confirm Your Identity": "there only when the session is too old for an action",
  "Create New Recovery Codes": "there only for a user with a second factor",
  "Delete This CA Key": "there only for a CA key that no longer signs",
  "Delete the Backup": "there only after a backup",
  "Delete this report?": "there only after a report",
  "Finish the Restore Review": "there only after a restore",
  "Give these people access?": "there only in another user's safe",
  Reconcile: "there only where the platform has a reconcile account",
  "Release Legal Hold": "there only for a held recording",
  "Replace the File": "there only for an upload",
  "Seal the Vault": "there only with a passphrase",
  "Session Timeout Warning": "there only after some minutes of inactivity",
  "Signing Key": "there only for a new webhook",
  "Undo Onboarding": "there only for an account that was onboarded",
  "Why do you need access?": "there only where the platform requires a reason",
};

/** The titles that the app's dialogs have in its source, without those that depend on an object. */
function titlesInSource(): string[] {
  const source = join(import.meta.dirname, "../../apps/web/src");
  const files = globSync("{app,features,shared}/**/*.tsx", { cwd: source }).filter(
    (file) => !/\.test\.|testing|demos/.test(file),
  );
  return files.flatMap((file) =>
    [
      ...readFileSync(join(source, file), "utf8").matchAll(
        /<(?:\w*Dialog|Modal|Removal)\b(?:=>|[^>])*?\btitle="([^"]+)"/g,
      ),
    ].map(([, title]) => title!),
  );
}

/** The titles of dialogs that have no screenshot and are not known to lack one. */
export const missingTitles = (seen: ReadonlySet<string>): string[] =>
  titlesInSource().filter((title) => !seen.has(title) && !Object.hasOwn(NOT_PICTURED, title));

/** Dialogs before the sign-in. */
export const VISITOR_DIALOGS: readonly PicturedDialog[] = [
  { name: "reset-password", path: "/auth", steps: ["Reset password"] },
];

const ROLES = ["button", "menuitem", "tab", "checkbox", "link"] as const;

/** In the topmost dialog, else anywhere on the page. */
function controlOf(page: Page, name: string | RegExp): Locator {
  const top = page.locator("body:not(:has([role=dialog]))").or(page.getByRole("dialog").last());
  const named = { name, exact: true };
  const menuItem = page.getByRole("menuitem", named);
  return ROLES.reduce((all, role) => all.or(top.getByRole(role, named)), menuItem).first();
}

/** Opens the dialog from its page, and waits for its content. Returns its title. */
export async function openDialog(page: Page, { path, steps }: PicturedDialog): Promise<string> {
  await page.goto(path);
  for (const step of steps) {
    if (typeof step === "object" && "field" in step)
      await page.getByRole("textbox", { name: step.field, exact: true }).fill(step.text);
    else await controlOf(page, step).click();
  }
  const dialog = page.getByRole("dialog").or(page.getByRole("alertdialog")).last();
  const title = dialog.getByRole("heading").first();
  await title.waitFor();
  await page.waitForFunction(() => document.querySelector("[data-loading]") === null);
  await dialog.getByText("Connecting...").waitFor({ state: "hidden" });
  return title.innerText();
}
