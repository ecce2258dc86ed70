// Whether what was typed stayed text on a page.
import assert from "node:assert/strict";
import { assertNoErrors } from "./browser.ts";
import type { Visit } from "./browser.ts";

/** From now on the pages of this visit notice when a payload runs; the answer's function says where they are and looks. */
export async function watchPayloads(visit: Visit): Promise<(where: string) => Promise<void>> {
  const { page } = visit;
  const dialogs: string[] = [];
  await page.addInitScript("globalThis.pwned = () => { globalThis.wasPwned = true; }");
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });

  /** INVARIANT: what was typed is text on this page: nothing ran, nothing became an element or a link. */
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
