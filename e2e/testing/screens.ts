// User actions on screens, by visible labels.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { becomes } from "./becomes.ts";
import type { Person } from "./people.ts";

/** Waits for a toast with exactly this text. */
export async function seesToast(page: Page, text: string): Promise<void> {
  await toastWith(page, text).first().waitFor();
}

export const toastWith = (page: Page, text: string): Locator =>
  page.locator(".mantine-Notification-root").getByText(text, { exact: true });

export async function seesHeading(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { name, exact: true }).first().waitFor();
}

/** Waits until the page is at that path, including a given query (such as `/vault?search=orders`). */
export async function isAt(page: Page, path: string): Promise<void> {
  await page.waitForURL(({ pathname, search }) => (path.includes("?") ? pathname + search : pathname) === path);
}

/** Waits until the address has no fragment. */
export async function hasNoHash(page: Page): Promise<void> {
  await page.waitForURL(({ hash }) => hash === "");
}

export async function fillSignIn(page: Page, { email, password }: Pick<Person, "email" | "password">): Promise<void> {
  await page.getByPlaceholder("Enter your email address").fill(email);
  await page.getByPlaceholder("Enter your password").fill(password);
}

/** Opens `path` from any page and signs in when redirected (SHELL-02, SHELL-03). */
export async function signIn(page: Page, person: Person, path = "/"): Promise<void> {
  await page.goto(path);
  await fillSignIn(page, person);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await page.getByPlaceholder("Enter your password").waitFor({ state: "detached" });
  await isAt(page, path);
  await page.getByRole("main").waitFor();
}

/** A credential's card in the vault's list. */
export const cardOf = (page: Page, name: string): Locator => page.getByRole("article", { name, exact: true });

/** Chooses an entry of the menu on a card. */
export const chooseOn = (page: Page, name: string, entry: string): Promise<void> =>
  chooseFor(page, name, entry, cardOf(page, name));

/** Chooses an entry of the menu of a row. */
export async function chooseFor(page: Page, name: string, entry: string, within: Page | Locator = page): Promise<void> {
  await within.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

/** The dialog with that title. */
export const dialogOf = (page: Page, title: string): Locator => page.getByRole("dialog", { name: title, exact: true });

export interface CredentialFields {
  name: string;
  /** The label of the type. */
  type?: string;
  username?: string;
  host?: string;
  port?: number;
  secret?: string;
  database?: string;
  schema?: string;
  environment?: string;
}

/**
 * Fills the given fields in the dialog for adding or editing. The type comes first, because it determines the fields and the
 * port.
 */
export async function fillCredential(dialog: Locator, fields: CredentialFields): Promise<void> {
  const { name, type, username, host, port, secret, database, schema, environment } = fields;
  if (type !== undefined) await choose(dialog, "Type", type);
  await textField(dialog, "Name").fill(name);
  if (environment !== undefined) await choose(dialog, "Environment", environment);
  const texts: [label: string, text: string | undefined][] = [
    ["Username", username],
    ["Host", host],
    ["Port", port?.toString()],
    ["Database name", database],
    ["Schema name", schema],
  ];
  for (const [label, text] of texts) {
    if (text !== undefined) await textField(dialog, label).fill(text);
  }
  if (secret !== undefined) await secretField(dialog).fill(secret);
}

export const textField = (within: Locator, name: string): Locator => within.getByRole("textbox", { name, exact: true });

/** A masked field has no textbox role, and its button has the same label. */
export const secretField = (dialog: Locator): Locator =>
  dialog.getByLabel("Password/Secret").and(dialog.locator("input, textarea"));

/** Selects an option in a searchable or plain select. */
export async function choose(within: Locator, label: string, choice: string): Promise<void> {
  await within
    .getByRole("combobox", { name: label })
    .or(within.getByRole("textbox", { name: label }))
    .click();
  // Leave out the options of native selects elsewhere on the page.
  await within.page().getByRole("listbox").getByRole("option", { name: choice, exact: true }).click();
}

/** Adds a credential through the vault's "Add Credential" button. */
export async function addCredential(page: Page, fields: CredentialFields): Promise<void> {
  await page.getByRole("button", { name: "Add Credential" }).first().click();
  const dialog = dialogOf(page, "Add New Credential");
  await fillCredential(dialog, fields);
  await dialog.getByRole("button", { name: "Add Credential" }).click();
  await seesToast(page, `"${fields.name}" added successfully`);
  await dialog.waitFor({ state: "detached" });
}

/** Waits until the clipboard contains this text. */
export const clipboardHolds = (page: Page, text: string): Promise<void> =>
  becomes(() => page.evaluate(() => navigator.clipboard.readText()), text);

/** INVARIANT: a secret remains nowhere in the page where it could be found later. */
export async function assertHoldsNoSecret(page: Page, secret: string): Promise<void> {
  const held = await page.evaluate(() => [
    document.documentElement.outerHTML,
    location.href,
    document.title,
    JSON.stringify({ ...localStorage }),
    JSON.stringify({ ...sessionStorage }),
    JSON.stringify(history.state),
    ...[...document.querySelectorAll("input, textarea")].map((field) => (field as HTMLInputElement).value),
  ]);
  assert.equal(
    held.some((text) => text.includes(secret)),
    false,
    "the page still holds the secret",
  );
}
