// The forms of the app: their text fields and the steps to open them.
import { CREDENTIAL_TYPES, CREDENTIAL_TYPE_LABELS } from "@strongroom/contract";
import type { Page } from "playwright-core";
import type { Known } from "./payloads.ts";

export interface Form {
  /** The files that contain the form's fields, below `apps/web/src`. */
  of: readonly string[];
  at: (known: Known) => string;
  /** The buttons and links to press, by label. */
  press?: readonly (string | RegExp)[];
  /**
   * Options of a select that change the text fields, by label. Each option is tried, and the form is submitted with the last one.
   */
  choose?: readonly [label: string, ...choices: string[]];
  /** Fields whose first suggestion is selected before submitting. */
  pick?: string;
  /** A radio option to select first. */
  mark?: string;
  /** The form's container, if it is not the opened dialog or the page. */
  within?: string;
  /** The submit button, if the form is saved after filling, with errors corrected. If omitted, the form is only filled. */
  isSaved?: boolean;
}

const at = (path: string) => () => path;

/** Search boxes, filters and forms on pages, which open no dialog and save nothing. */
const onPage = (path: string | Form["at"], ...of: string[]): Form => ({
  of,
  at: typeof path === "string" ? at(path) : path,
});

const dialog = (path: string | Form["at"], press: Form["press"], ...of: string[]): Form => ({
  ...onPage(path, ...of),
  press,
  isSaved: true,
});

const PARAMETERS = ["shared/connectors/connection-parameters.tsx", "shared/connectors/parameter-input.tsx"];
const CREDENTIAL = ["features/vault/form/credential-form.tsx", "features/vault/form/secret-field.tsx", ...PARAMETERS];
const PLATFORM = [
  "features/platforms/platform-form.tsx",
  "features/platforms/platform-fields.tsx",
  "features/platforms/platform-rotation-part.tsx",
  "features/platforms/platform-session-part.tsx",
];
const PROVIDER = [
  "features/identity-providers/provider-form.tsx",
  "features/identity-providers/role-mapping-fields.tsx",
];
const account: Form["at"] = ({ account_id: id }) => `/accounts/${id}`;
const review: Form["at"] = ({ review_id: id }) => `/access-control?tab=reviews&review=${id}`;

/** The order matters: later forms need the objects of earlier ones. */
export const FORMS: readonly Form[] = [
  { ...onPage("/help", "app/shell/search-box.tsx"), within: "header" },
  {
    ...dialog("/vault", ["Add Credential"], ...CREDENTIAL),
    choose: ["Type", ...CREDENTIAL_TYPES.map((type) => CREDENTIAL_TYPE_LABELS[type])],
  },
  dialog("/vault", ["Edit"], ...CREDENTIAL),
  onPage("/vault", "features/vault/list/credential-list-page.tsx"),
  dialog("/safes", ["Create Safe"], "features/safes/form/safe-form.tsx", "shared/ui/tags-field.tsx"),
  dialog("/safes", ["Edit"], "features/safes/form/safe-form.tsx"),
  onPage("/safes", "features/safes/list/safes-page.tsx"),
  dialog(
    ({ safe_id: id }) => `/safes/${id}?tab=members`,
    ["Add Member"],
    "features/safes/members/member-form.tsx",
    "features/safes/members/principal-select.tsx",
  ),
  {
    ...dialog(
      "/accounts",
      ["Add Account"],
      "features/accounts/form/account-form.tsx",
      "shared/ui/tags-field.tsx",
      ...PARAMETERS,
    ),
    choose: ["System Type", "Oracle", "Application"],
  },
  dialog(account, ["Edit Account"], "features/accounts/form/account-form.tsx"),
  dialog(account, ["Copy Password"], "features/accounts/actions/justification-dialog.tsx"),
  {
    ...dialog(account, ["Add"], "features/accounts/dependents/dependent-form.tsx", "shared/ui/account-select.tsx"),
    choose: [
      "Kind",
      "Another stored account",
      "Another login with the same SSH key",
      "A file on a Linux host",
      "A user on another database server",
      "A webhook",
    ],
  },
  onPage("/accounts", "features/accounts/list/account-toolbar.tsx"),
  dialog("/accounts", ["Views", "Save Current View"], "shared/saved-views/save-view-dialog.tsx"),
  dialog(
    "/jit-access",
    ["New Request"],
    "features/access-requests/request/request-access-dialog.tsx",
    "features/access-requests/request/resource-picker.tsx",
  ),
  {
    ...dialog("/jit-access", ["Break Glass"], "features/access-requests/request/break-glass-dialog.tsx"),
    pick: "Account",
  },
  dialog("/jit-access", ["Deny"], "features/access-requests/decision/decision-dialogs.tsx"),
  {
    ...dialog("/jit-access?tab=active", ["Review"], "features/access-requests/decision/decision-dialogs.tsx"),
    mark: "Justified",
  },
  onPage("/jit-access", "features/access-requests/list/jit-access-page.tsx"),
  onPage(({ account_id: id }) => `/accounts/${id}/connect`, "features/sessions/terminal/connect-page.tsx"),
  {
    ...onPage("/discovery", "features/discovery/targets/target-dialog.tsx"),
    press: ["Add Discovery Target"],
  },
  {
    ...onPage("/discovery?view=ranges", "features/discovery/ranges/start-range-dialog.tsx"),
    press: ["Scan IP Range"],
  },
  { ...onPage("/discovery?view=ranges", "features/discovery/ranges/networks-card.tsx"), press: ["Allow Network"] },
  onPage("/discovery", "features/discovery/targets/target-list.tsx"),
  onPage("/discovery?tab=accounts", "features/discovery/accounts/discovered-list.tsx"),
  {
    ...onPage("/discovery", "features/discovery/scans/start-scan-dialog.tsx"),
    press: [/^Scan .*pwned/],
  },
  {
    ...onPage("/discovery", "features/scans/start-enhanced-scan-dialog.tsx"),
    press: [/^Enhanced scan of .*pwned/],
  },
  onPage("/sessions", "features/sessions/session-filter.tsx"),
  { ...onPage("/sessions", "features/sessions/playback/search-recordings.tsx"), press: ["Search Recordings"] },
  onPage("/access-control", "features/access-control/people-tab.tsx"),
  onPage(({ user_id: id }) => `/access-control?person=${id}`, "features/access-control/person-access.tsx"),
  onPage("/access-control?tab=things", "features/access-control/resources-tab.tsx"),
  { ...onPage("/access-control?tab=things", "features/access-control/resources-tab.tsx"), mark: "Accounts" },
  {
    ...onPage("/access-control?tab=change", "features/access-control/choice-fields.tsx"),
    choose: ["Change", "Add a person to a group", "Add a member to a safe"],
  },
  dialog("/access-control?tab=reviews", ["Start Review"], "features/access-control/reviews/start-review-dialog.tsx"),
  dialog(review, [/^Remove /], "features/access-control/reviews/remove-item-dialog.tsx"),
  onPage(review, "features/access-control/reviews/review-items.tsx"),
  dialog("/admin", ["Invite User"], "features/users/people/invite-user-form.tsx"),
  onPage("/admin", "features/users/people/users-card.tsx"),
  dialog("/admin?tab=machines", ["Create"], "features/tokens/machines/machine-dialog.tsx"),
  onPage("/admin?tab=machines", "features/tokens/machines/machine-identities.tsx"),
  {
    ...onPage("/admin?tab=policy", "features/users/policy/sign-in-policy-card.tsx", "shared/session/sign-up-rule.tsx"),
    mark: "These email domains, after activation",
  },
  dialog("/admin?tab=providers", ["Add Provider", "LDAP directory", "Add a Group"], ...PROVIDER),
  {
    ...onPage("/admin?tab=providers", "features/identity-providers/test-provider-dialog.tsx"),
    press: [/^Test( |$)/],
  },
  dialog("/admin?tab=providers", ["Add Provider", "OpenID Connect", "Add a Group"], ...PROVIDER),
  dialog("/admin/groups", ["Create Group"], "features/groups/group-form.tsx"),
  dialog("/admin/groups", ["Edit"], "features/groups/group-form.tsx"),
  { ...onPage("/admin/groups", "features/groups/group-people-dialog.tsx"), press: ["People"] },
  onPage("/admin/groups", "features/groups/groups-page.tsx"),
  // A platform with a reconcile account comes before a platform without one.
  dialog("/admin/platforms", [/^Edit .*pwned/], ...PLATFORM),
  dialog("/admin/platforms", ["Create Platform"], ...PLATFORM),
  onPage("/admin/platforms", "features/platforms/platforms-page.tsx"),
  {
    ...dialog(
      "/integrations",
      ["Add Sink"],
      "features/audit-sinks/sink-form.tsx",
      "features/audit-sinks/sink-fields.tsx",
    ),
    choose: ["Kind", "Syslog", "Webhook", "Witness", "File on the server"],
  },
  { ...onPage("/integrations", "features/audit-sinks/witness-section.tsx"), press: ["Watch a Log"] },
  onPage("/audit-logs", "shared/audit/trail-filters.tsx"),
  onPage("/validation-dashboard?tab=accounts", "features/validation/accounts/accounts-toolbar.tsx"),
  onPage("/validation-dashboard?tab=search", "features/validation/search/filter-fields.tsx"),
  onPage("/cpm-test", "features/demos/cpm-test-page.tsx"),
  {
    ...dialog("/profile", ["Change Name"], "features/sign-in/profile/profile-card.tsx"),
    within: 'form[aria-label="Change name"]',
  },
  dialog("/profile", ["Create Token"], "features/tokens/token-form.tsx"),
  { ...onPage("/profile", "features/ssh-keys/ssh-key-form.tsx"), press: ["Add SSH Key"] },
  { ...onPage("/profile", "shared/factors/new-factor.tsx"), press: ["Add Authenticator App"] },
];

/** Forms without sign-in. */
export const FORMS_OF_VISITORS: readonly Form[] = [
  onPage("/login", "features/sign-in/sign-in-page.tsx"),
  dialog("/login", ["Reset password"], "features/sign-in/password/request-reset-dialog.tsx"),
  onPage("/signup", "features/sign-in/sign-up/sign-up-page.tsx"),
];

/** Files with fields that belong to no form listed here, with the reason. */
export const NO_FORMS: Readonly<Record<string, string>> = {
  "shared/factors/proof-form.tsx": "a password or a code: shown nowhere, and kept nowhere",
  "features/audit/contradictions-card.tsx":
    "there only while something contradicts the audit trail; read as text in the trail",
  "shared/discovery/schedule-fields.tsx":
    "on a later step of the target form, and in the form of an enhanced scan once a schedule is chosen; the API accepts only times, names of time zones and cron expressions",
  "features/discovery/accounts/decision-dialogs.tsx":
    "there only for accounts that a scan found; the reason is read as text in the trail",
  "features/findings/finding-details.tsx": "there only for a finding of a scanned host; read as text in its history",
  "features/findings/assign-dialog.tsx":
    "there only for a finding of a scanned host; its text searches users and is not kept",
  "features/findings/finding-filters.tsx": "a search; its text is sent as a filter only",
  "features/findings/rule-dialog.tsx": "there only for a finding of a scanned host; read as text in the list of rules",
  "features/findings/status-dialog.tsx": "there only for a finding of a scanned host; read as text in its history",
  "features/findings/vault-dialog.tsx":
    "there only for a finding of a scanned host; becomes an account, whose form is listed",
  "features/findings/verify-dialog.tsx": "there only for a finding of a scanned host; goes to a login and is not kept",
  "features/accounts/access-block-banner.tsx":
    "there only while a rotation after a use has not ended; its reason is read as text in the trail",
  "features/sessions/playback/finder.tsx":
    "there only while a recording plays; its text is compared in the browser and sent nowhere",
  "features/sessions/session-dialogs.tsx":
    "there only beside a live session; the reason is read as text in the trail, and the message goes to a terminal",
  "features/discovery/cloud/cloud-dialog.tsx":
    "there only for a target of an AWS account; the API accepts only names of regions",
  "features/discovery/cloud/resource-list.tsx": "a search; its text is sent as a filter only",
  "features/discovery/privileges/key-list.tsx": "a search; its text is sent as a filter only",
  "features/discovery/rules/new-rule-dialog.tsx": "not walked yet: it needs a safe with targets",
  "features/sessions/files/file-actions.tsx": "there only beside a live session; the name is sent to the target",
  "features/sessions/files/files-dialog.tsx": "there only beside a live session; the folder is sent to the target",
  "features/sessions/hold-dialogs.tsx": "there only for a recorded session; the reason is read as text in the trail",
  "features/sessions/terminal/terminal-search.tsx": "searches what the terminal shows; its text is sent nowhere",
  "shared/ui/address-search.tsx": "a part of the pages that search",
  "shared/ui/reason-field.tsx": "a part of the dialogs that ask for a reason",
};

/** Fields that the test does not reach, with the reason. */
export const NOT_REACHED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["Safe", "Tag"].map((label) => [
      `features/accounts/list/account-toolbar.tsx: ${label}`,
      "in the popover of filters, which stores nothing; chips show the address as text",
    ]),
  ),
  ...Object.fromEntries(
    ["Hostname or IP Address", "Connection Method", "Credential", "Port", "Timeout (milliseconds)"].map((label) => [
      `features/discovery/targets/target-dialog.tsx: ${label}`,
      "on a later step of the form; the API's text is read as text on the page",
    ]),
  ),
  "features/sign-in/sign-up/sign-up-page.tsx: Setup token": "asked for only before the first administrator is there",
};

/** Pages without a form that show typed text. */
export const PAGES: readonly ((known: Known) => string)[] = [
  ...["/", "/cpm-dashboard", "/validation-dashboard", "/validation-dashboard?tab=audit", "/notifications"].map(at),
  ...["/jit-access?tab=history", "/admin?tab=jobs", "/admin?tab=system", "/settings", "/discovery"].map(at),
  ({ credential_id: id }) => `/vault/${id}`,
  ...["", "?tab=access", "?tab=audit"].map((tab) => (known: Known) => `/safes/${known["safe_id"]}${tab}`),
];

/** Presses the control with this label in the topmost dialog or page. */
export async function press(page: Page, words: string | RegExp): Promise<void> {
  const named = { name: words, exact: true };
  const top = page.getByRole("main").or(page.getByRole("dialog")).last();
  await page.getByRole("menuitem", named).or(top.getByRole("button", named)).first().click();
}

export async function choose(page: Page, label: string, choice: string): Promise<void> {
  const named = { name: label, exact: true };
  const field = page.getByRole("combobox", named).or(page.getByRole("textbox", named)).last();
  if ((await field.evaluate((element) => element.tagName)) === "SELECT") {
    await field.selectOption({ label: choice });
    return;
  }
  await field.click();
  // Earlier text in the field would leave no suggestion.
  if (await field.isEditable()) await field.fill(choice);
  await page.getByRole("listbox").getByRole("option", { name: choice, exact: true }).click();
}
