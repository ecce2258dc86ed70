// Every dialog, opened and left with the keyboard alone: the focus goes in, stays in, and returns to what opened it.
import { needs } from "@strongroom/connectors/testing";
import { createCredential } from "@strongroom/contract";
import { after, before, describe } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { cardOf, dialogOf, seesHeading, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const NAME = "Billing service";

interface Opened {
  where: string;
  title: string;
  opener: (page: Page) => Locator;
  /** Its own button for leaving, beside Escape. */
  leave: string;
}

const onCard = (name: string) => (page: Page) => cardOf(page, NAME).getByRole("button", { name, exact: true });
const button = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).first();

const DIALOGS: readonly Opened[] = [
  { where: "/vault", title: "Add New Credential", opener: button("Add Credential"), leave: "Cancel" },
  { where: "/vault", title: "Credential Details", opener: onCard("Quick View"), leave: "Close" },
  { where: "/vault", title: "Edit Credential", opener: onCard("Edit"), leave: "Cancel" },
  { where: "/vault", title: "Delete Credential", opener: onCard("Delete"), leave: "Cancel" },
  { where: "detail", title: "Rotate Password", opener: button("Rotate Password"), leave: "Cancel" },
  { where: "detail", title: "Edit Credential", opener: button("Edit Credential"), leave: "Cancel" },
  { where: "detail", title: "Delete Credential", opener: button("Delete Credential"), leave: "Cancel" },
  { where: "/login", title: "Reset password", opener: button("Reset password"), leave: "Cancel" },
];

describe("dialogs", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let admin: Person;
  let visit: Visit;
  let stranger: Visit;
  let page: Page;
  let detail: string;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    const body = { name: NAME, type: "application" as const, username: "service", value: "an old secret" };
    const { id } = await ask(server.url, createCredential, { body }, await tokenOf(server, admin));
    detail = `/vault/${id}`;
    visit = await visitor(browser, server.url);
    stranger = await visitor(browser, server.url);
    await signIn(visit.page, admin);
    await seesHeading(visit.page, "Dashboard");
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const hasFocus = (there: Locator) => there.evaluate((element) => element === document.activeElement);
  const holdsFocus = (dialog: Locator) => dialog.evaluate((element) => element.contains(document.activeElement));

  for (const { where, title, opener, leave } of DIALOGS) {
    step(`${title} of ${where}: the focus goes in, and returns to its opener by Escape and by ${leave}`, async () => {
      ({ page } = where === "/login" ? stranger : visit);
      await page.goto(where === "detail" ? detail : where);
      const opening = opener(page);
      const dialog = dialogOf(page, title);
      for (const leaveBy of ["Escape", leave]) {
        await opening.focus();
        await page.keyboard.press("Enter");
        await dialog.waitFor();
        await becomes(() => holdsFocus(dialog), true);
        const button = dialog.getByRole("button", { name: leave, exact: true }).last();
        // The dialog's content may come later than its frame.
        await button.waitFor();
        if (leaveBy === "Escape") await page.keyboard.press("Escape");
        else await button.press("Enter");
        await dialog.waitFor({ state: "detached" });
        await becomes(() => hasFocus(opening), true);
      }
    });
  }

  step("Tab stays inside of an open dialog", async () => {
    await page.goto("/login");
    await button("Reset password")(page).click();
    const dialog = dialogOf(page, "Reset password");
    await dialog.waitFor();
    await becomes(() => holdsFocus(dialog), true);
    for (let stop = 0; stop < 8; stop += 1) {
      await page.keyboard.press("Tab");
      await becomes(() => holdsFocus(dialog), true);
    }
    for (const each of [visit, stranger]) assertNoErrors(each);
  });
});
