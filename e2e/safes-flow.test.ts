// Tests safes in a real browser: members, their access and its explanation, and deletion.
import { createAccount, createSafe, listPlatforms } from "@strongroom/contract";
import type { SafeId } from "@strongroom/contract";
import { after, before, describe } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, aUser, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { cardOf, dialogOf, isAt, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const SAFE = "Production servers";
const OTHER = "Retired servers";
const GROUP = "Operators";
const PLATFORM = "Linux servers";
const ACCOUNT = "web-01 root";

describe("safes", { skip: noBrowser }, () => {
  let server: RunningServer;
  let browser: Browser;
  let owner: Visit;
  let member: Visit;
  let stranger: Visit;
  let admin: Person;
  let ben: Person;
  let page: Page;
  const step = steps(() => page);
  const token = () => tokenOf(server, admin);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    ben = await aUser(server, "ben@example.com");
    owner = await visitor(browser, server.url);
    member = await visitor(browser, server.url);
    stranger = await visitor(browser, server.url);
    page = owner.page;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  step("an administrator creates a platform, and its example password follows the typed rules", async () => {
    await signIn(page, admin, "/admin/platforms");
    await page.getByRole("table", { name: "Platforms" }).waitFor();
    await page.getByRole("button", { name: "Create Platform" }).first().click();
    const dialog = dialogOf(page, "Create Platform");
    const example = dialog.getByRole("group", { name: "Example" }).locator("code");
    await becomes(async () => (await example.innerText()).length, 24);
    await textBox(dialog, "Name").fill(PLATFORM);
    await dialog.getByLabel("Length", { exact: true }).fill("40");
    await becomes(async () => (await example.innerText()).length, 40);
    await inspectScreen(page, "platform-form");
    await dialog.getByLabel("Minimum symbols").fill("50");
    await dialog.getByText("The password length is too short for the required characters.", { exact: true }).waitFor();
    await dialog.getByLabel("Minimum symbols").fill("2");
    await dialog.getByRole("button", { name: "Create Platform" }).click();
    await seesToast(page, "Platform created successfully");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row").filter({ hasText: PLATFORM }).getByText("Every 90 days", { exact: true }).waitFor();
    await inspectScreen(page, "platforms");
  });

  step("an administrator adds users to a group", async () => {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Groups" }).click();
    await page.getByText("No groups found", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Create Group" }).first().click();
    const dialog = dialogOf(page, "Create Group");
    await textBox(dialog, "Name").fill(GROUP);
    await dialog.getByRole("switch", { name: "Allow emergency access" }).click();
    await inspectScreen(page, "group-form");
    await dialog.getByRole("button", { name: "Create Group" }).click();
    await seesToast(page, "Group created successfully");
    await dialog.waitFor({ state: "detached" });
    await cardOf(page, GROUP).getByRole("button", { name: "People" }).click();
    const people = dialogOf(page, `Members of ${GROUP}`);
    await people.getByText("This group is empty", { exact: true }).waitFor();
    await search(people, "Add a person", "ben@", /ben@example\.com/);
    await people.getByRole("button", { name: "Add", exact: true }).click();
    await people.getByRole("listitem").filter({ hasText: "ben@example.com" }).waitFor();
    await inspectScreen(page, "group-people");
    await people.getByRole("button", { name: "Close" }).first().click();
    await people.waitFor({ state: "detached" });
    await cardOf(page, GROUP).getByText("Emergency access", { exact: true }).waitFor();
    await inspectScreen(page, "groups");
  });

  step("SAFE-04, SAFE-07, SAFE-08, SAFE-17, SAFE-22: a safe is created when it has a name", async () => {
    await page.getByRole("link", { name: "Safes", exact: true }).click();
    await seesHeading(page, "Safes Management");
    await page.getByText("No safes found", { exact: true }).waitFor();
    await inspectScreen(page, "safes-empty");
    await page.getByRole("button", { name: "Create Safe" }).first().click();
    const dialog = dialogOf(page, "Create New Safe");
    await dialog.getByRole("button", { name: "Create Safe" }).click();
    await dialog.getByText("Safe name is required", { exact: true }).waitFor();
    await inspectScreen(page, "safe-form-error");
    await textBox(dialog, "Name").fill(SAFE);
    await textBox(dialog, "Description").fill("Root accounts of the machines behind the shop");
    await dialog.getByRole("button", { name: "Create Safe" }).click();
    await seesToast(page, "Safe created successfully");
    await dialog.waitFor({ state: "detached" });
    await cardOf(page, SAFE).waitFor();
  });

  step("SAFE-02, SAFE-05, SAFE-06: the safe's card and the statistics show its contents", async () => {
    await putAccountInto(SAFE);
    await ask(server.url, createSafe, { body: { name: OTHER, description: null } }, await token());
    const card = cardOf(page, SAFE);
    // The event updates the page without a reload.
    await becomes(() => factOf(card, "Accounts"), "1");
    await becomes(() => factOf(card, "Users"), "1");
    await becomes(() => factOf(card, "Access Level"), "Private");
    await page.getByRole("article", { name: "Total Safes" }).getByText("2", { exact: true }).waitFor();
    await page.getByRole("article", { name: "Shared Safes" }).getByText("0", { exact: true }).waitFor();
    await inspectScreen(page, "safes");
  });

  step("a group becomes a member for a week", async () => {
    await cardOf(page, SAFE).getByRole("link", { name: "Members" }).click();
    await page.getByRole("row").filter({ hasText: admin.email }).waitFor();
    await page.getByRole("button", { name: "Add Member" }).click();
    const dialog = dialogOf(page, "Add Member");
    await search(dialog, "User or group", "Oper", GROUP);
    await dialog.getByRole("button", { name: "Expires in 1 week" }).click();
    await becomes(async () => (await dialog.getByLabel("Expires", { exact: true }).inputValue()) !== "", true);
    await inspectScreen(page, "member-form");
    await dialog.getByRole("button", { name: "Add Member" }).click();
    await seesToast(page, `${GROUP} is now a member`);
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row").filter({ hasText: GROUP }).getByText("1 person", { exact: true }).waitFor();
    await inspectScreen(page, "safe-members");
  });

  step(
    "a member can see exactly this safe and its accounts but cannot change it; other users see no safe",
    async () => {
      await signIn(member.page, ben, "/safes");
      await cardOf(member.page, SAFE).waitFor();
      await becomes(() => member.page.getByRole("article", { name: OTHER }).count(), 0);
      await becomes(() => cardOf(member.page, SAFE).getByRole("button").count(), 0);
      await cardOf(member.page, SAFE).getByRole("link", { name: SAFE }).click();
      await member.page.getByRole("table", { name: "Accounts" }).getByText(ACCOUNT, { exact: true }).waitFor();
      await becomes(() => member.page.getByRole("tab").allInnerTexts(), ["Accounts1", "Members2"]);
      await inspectScreen(member.page, "safe-as-member");
      await signIn(stranger.page, await aUser(server, "cleo@example.com"), "/safes");
      await stranger.page.getByText("No safes found", { exact: true }).waitFor();
      await stranger.page.goto(new URL(member.page.url()).pathname);
      await seesHeading(stranger.page, "Safe Not Found");
    },
  );

  step("the access panel shows users, permissions and their sources", async () => {
    await page.getByRole("tab", { name: "Access" }).click();
    const people = page.getByRole("list", { name: "People with access" });
    const way = people.getByRole("listitem").filter({ hasText: "ben@example.com" });
    await way.getByText(`Through the group ${GROUP}`, { exact: false }).waitFor();
    await way.getByText("Can use and see the password", { exact: true }).waitFor();
    await people.getByRole("listitem").filter({ hasText: admin.email }).getByText("Member as Owner").waitFor();
    await inspectScreen(page, "safe-access");
  });

  step("a removed member loses access to the safe immediately, without a reload", async () => {
    await page.getByRole("tab", { name: "Members" }).click();
    await page.getByRole("button", { name: `Remove ${GROUP}` }).click();
    const dialog = dialogOf(page, "Remove Member");
    await inspectScreen(page, "remove-member");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await seesToast(page, `${GROUP} is no longer a member`);
    await dialog.waitFor({ state: "detached" });
    await seesHeading(member.page, "Safe Not Found");
  });

  step("SAFE-26: Edit Safe changes its name", async () => {
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = dialogOf(page, "Edit Safe");
    await becomes(() => textBox(dialog, "Name").inputValue(), SAFE);
    await inspectScreen(page, "edit-safe");
    await textBox(dialog, "Name").fill(`${SAFE} 2`);
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await seesToast(page, "Safe updated successfully");
    await seesHeading(page, `${SAFE} 2`);
  });

  step("the safe's history lists every change", async () => {
    await page.getByRole("tab", { name: "Audit" }).click();
    await becomes(async () => (await page.getByRole("listitem").filter({ hasText: GROUP }).count()) > 1, true);
    await inspectScreen(page, "safe-audit");
  });

  step("SAFE-20, SAFE-24: a safe with accounts is deleted after its owner chooses a new safe for them", async () => {
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = dialogOf(page, "Delete Safe");
    const confirm = dialog.getByRole("button", { name: "Delete", exact: true });
    await becomes(() => confirm.isDisabled(), true);
    await dialog.getByLabel("Move its 1 account to").first().click();
    await page.getByRole("option", { name: OTHER, exact: true }).click();
    await becomes(() => confirm.isDisabled(), false);
    await inspectScreen(page, "delete-safe");
    await confirm.click();
    await seesToast(page, "Safe deleted successfully");
    await isAt(page, "/safes");
    await cardOf(page, `${SAFE} 2`).waitFor({ state: "detached" });
    await becomes(() => factOf(cardOf(page, OTHER), "Accounts"), "1");
  });

  step("SAFE-03: the URL contains the search text", async () => {
    await page.getByPlaceholder("Search safes by name, description, or owner...").fill("nothing like it");
    await isAt(page, "/safes?search=nothing+like+it");
    await page.getByText("No safes match your search.", { exact: true }).waitFor();
    for (const visit of [owner, member, stranger]) assertNoErrors(visit);
  });

  /** Creates an account through the API. A separate flow tests accounts. */
  async function putAccountInto(name: string): Promise<void> {
    const bearer = await token();
    const { platforms } = await ask(server.url, listPlatforms, {}, bearer);
    const href = await cardOf(page, name).getByRole("link", { name, exact: true }).getAttribute("href");
    await ask(
      server.url,
      createAccount,
      {
        body: {
          name: ACCOUNT,
          system_type: "Linux",
          hostname: "web-01.example.test",
          username: "root",
          password: "a password for the test",
          platform_id: platforms.find(({ name }) => name === PLATFORM)!.id,
          safe_id: href!.split("/").at(-1) as SafeId,
          connection_method: "SSH",
        },
      },
      bearer,
    );
  }
});

const textBox = (within: Locator, name: string): Locator => within.getByRole("textbox", { name, exact: true });

/** The value of a card's field; empty while it is missing. */
async function factOf(card: Locator, name: string): Promise<string> {
  const fact = card.locator("dl > div").filter({ has: card.page().getByRole("term").getByText(name, { exact: true }) });
  return (await fact.count()) === 0 ? "" : fact.getByRole("definition").innerText();
}

/** Types into a server-side search field and selects the result. */
async function search(within: Locator, label: string, text: string, option: string | RegExp): Promise<void> {
  const box = within.getByRole("combobox", { name: label }).or(within.getByRole("textbox", { name: label }));
  await box.fill(text);
  await within.page().getByRole("listbox").getByRole("option", { name: option }).click();
}
