// Checks that typed payloads remain plain text on a page.
import assert from "node:assert/strict";
import { assertNoErrors } from "./browser.ts";
import type { Visit } from "./browser.ts";

/** Makes the visitor's pages record executed payloads. Returns a function that checks a page. */
export async function watchPayloads(visit: Visit): Promise<(where: string) => Promise<void>> {
  const { page } = visit;
  const dialogs: string[] = [];
  await page.addInitScript("globalThis.pwned = () => { globalThis.wasPwned = true; }");
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });

  /** INVARIANT: typed payloads are text on this page: none ran or became an element or a link. */
  return async (where) => {
    const found = await page.evaluate(() => ({
      wasPwned: (globalThis as { wasPwned?: boolean }).wasPwned === true,
      elements: [
        ...document.querySelectorAll(
          '[onerror],[onload],[src="x"],[srcdoc],a[href^="javascript:" i],[action^="javascript:" i],body script',
        ),
      ].map((element) => element.outerHTML.slice(0, 200)),
    }));
    assert.deepEqual({ where, ...found }, { where, wasPwned: false, elements: [] });
    assert.deepEqual(dialogs, []);
    assertNoErrors(visit);
  };
}
