// Opens and closes every dialog using only the keyboard: focus enters the dialog, stays inside, and returns to the control that
// opened it.
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Locator, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { oneCredential } from "./testing/one-admin.ts";
import type { Beginning } from "./testing/one-admin.ts";
import { cardOf, dialogOf, seesHeading, signIn } from "./testing/screens.ts";
import { steps } from "./testing/steps.ts";

const NAME = "Billing service";

interface Opened {
  where: string;
  title: string;
  opener: (page: Page) => Locator;
  /** The entry of the opener's menu that opens the dialog. */
  entry?: string;
  /** The label of the dialog's button that closes it, as an alternative to Escape. */
  leave: string;
}

const onCard = (name: string) => (page: Page) => cardOf(page, NAME).getByRole("button", { name, exact: true });
const button = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).first();

const DIALOGS: readonly Opened[] = [
  { where: "/vault", title: "Add New Credential", opener: button("Add Credential"), leave: "Cancel" },
  { where: "/vault", title: "Credential Details", opener: onCard("Quick View"), leave: "Close" },
  { where: "/vault", title: "Edit Credential", opener: onCard("Edit"), leave: "Cancel" },
  {
    where: "/vault",
    title: "Delete Credential",
    opener: onCard(`Actions for ${NAME}`),
    entry: "Delete",
    leave: "Cancel",
  },
  { where: "detail", title: "Rotate Password", opener: button("Rotate Password"), leave: "Cancel" },
  { where: "detail", title: "Edit Credential", opener: button("Edit Credential"), leave: "Cancel" },
  { where: "detail", title: "Delete Credential", opener: button("Delete Credential"), leave: "Cancel" },
  { where: "/login", title: "Reset password", opener: button("Reset password"), leave: "Cancel" },
];

describe("dialogs", needs(noBrowser || null), () => {
  let started: Beginning;
  let stranger: Visit;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    started = await oneCredential(NAME);
    stranger = await visitor(started.browser, started.server.url);
    await signIn(started.visit.page, started.admin);
    await seesHeading(started.visit.page, "Dashboard");
  });
  after(() => started?.close());

  const hasFocus = (there: Locator) => there.evaluate((element) => element === document.activeElement);
  const holdsFocus = (dialog: Locator) => dialog.evaluate((element) => element.contains(document.activeElement));

  for (const { where, title, opener, entry, leave } of DIALOGS) {
    step(
      `${title} of ${where}: focus enters the dialog, and returns to its opener after Escape and after ${leave}`,
      async () => {
        ({ page } = where === "/login" ? stranger : started.visit);
        await page.goto(where === "detail" ? `/vault/${started.id}` : where);
        const opening = opener(page);
        const dialog = dialogOf(page, title);
        for (const leaveBy of ["Escape", leave]) {
          await opening.focus();
          await page.keyboard.press("Enter");
          if (entry !== undefined) await page.getByRole("menuitem", { name: entry, exact: true }).press("Enter");
          await dialog.waitFor();
          await becomes(() => holdsFocus(dialog), true);
          const button = dialog.getByRole("button", { name: leave, exact: true }).last();
          // The dialog's content may load after its frame.
          await button.waitFor();
          if (leaveBy === "Escape") await page.keyboard.press("Escape");
          else await button.press("Enter");
          await dialog.waitFor({ state: "detached" });
          await becomes(() => hasFocus(opening), true);
        }
      },
    );
  }

  step("a card keeps the focus when the browser measures the grid late", async () => {
    const vault = started.visit.page;
    await vault.addInitScript(`window.ResizeObserver = class extends ResizeObserver {
      constructor(report) { super((...given) => setTimeout(() => { report(...given); document.body.dataset.isMeasured = "" }, 1000)); }
    }`);
    await vault.goto("/vault");
    const edit = onCard("Edit")(vault);
    await edit.focus();
    assert.equal(await vault.locator("body[data-is-measured]").count(), 0);
    await vault.locator("body[data-is-measured]").waitFor();
    assert.equal(await hasFocus(edit), true);
  });

  step("a card keeps the focus when the window becomes narrower and the grid has fewer columns", async () => {
    const { page: vault } = started.visit;
    await vault.setViewportSize({ width: 1280, height: 800 });
    await vault.goto("/vault");
    await onCard("Edit")(vault).focus();
    const columns = () =>
      vault
        .getByRole("list", { name: "Credentials" })
        .locator("[style*='grid-template-columns']")
        .evaluate((grid) => getComputedStyle(grid).gridTemplateColumns.split(" ").length);
    const before = await columns();
    assert.ok(before > 1);
    await vault.setViewportSize({ width: 360, height: 800 });
    await becomes(columns, 1);
    assert.equal(await hasFocus(onCard("Edit")(vault)), true);
    await vault.setViewportSize({ width: 1280, height: 800 });
    await becomes(columns, before);
    assert.equal(await hasFocus(onCard("Edit")(vault)), true);
  });

  for (const [where, opener, submit] of [
    ["/accounts", "Add Account", "Create Account"],
    ["/safes", "Create Safe", "Create Safe"],
    ["/integrations", "Add Sink", "Add Sink"],
    ["/admin/platforms", "Create Platform", "Create Platform"],
  ] as const) {
    step(`${opener}: the buttons stay in view while a long form scrolls on a phone`, async () => {
      const { page: phone } = started.visit;
      await phone.setViewportSize({ width: 360, height: 480 });
      await phone.goto(where);
      await phone.getByRole("button", { name: opener, exact: true }).first().click();
      const button = phone.getByRole("dialog").getByRole("button", { name: submit, exact: true });
      await button.waitFor();
      const distanceBelow = () =>
        button.evaluate((element) => Math.max(0, element.getBoundingClientRect().bottom - innerHeight));
      await becomes(distanceBelow, 0);
      const isScrollable = await button.evaluate((element) => {
        const content = element.closest("[role=dialog]")!;
        return content.scrollHeight > content.clientHeight;
      });
      assert.ok(isScrollable, "the form fits, so nothing was tested");
      await phone.setViewportSize({ width: 1280, height: 800 });
    });
  }

  step("the Tab key stays inside an open dialog", async () => {
    await page.goto("/login");
    await button("Reset password")(page).click();
    const dialog = dialogOf(page, "Reset password");
    await dialog.waitFor();
    await becomes(() => holdsFocus(dialog), true);
    for (let stop = 0; stop < 8; stop += 1) {
      await page.keyboard.press("Tab");
      await becomes(() => holdsFocus(dialog), true);
    }
    for (const each of [started.visit, stranger]) assertNoErrors(each);
  });
});
