// Finds text fields in the web app's sources and on a page.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ElementHandle, Locator, Page } from "playwright-core";
import { payload } from "./payloads.ts";

const sources = join(import.meta.dirname, "../../apps/web/src");

const FIELD =
  /<(TextInput|Textarea|AddressSearch|SearchSelect|AccountSelect|ReasonField|PillsInput|TagsInput|Autocomplete)\b/g;
/** Types that hold no free text: the browser accepts only a number or a date. */
const NO_TEXT = /\btype="(number|date|datetime-local|time)"/;

/** The text of an opening tag, starting at its `<`; text in braces may contain tags and arrows. */
function tagAt(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (text[at] === ">" && depth === 0) return text.slice(start, at);
  }
  return text.slice(start);
}

/** The files below `apps/web/src` with text fields, each with its literal labels. */
export function fieldsInSource(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync("**/*.tsx", { cwd: sources }).toSorted()) {
    if (file.endsWith(".test.tsx") || file.includes("/testing/")) continue;
    const text = readFileSync(join(sources, file), "utf8");
    const tags = [...text.matchAll(FIELD)].map(({ index }) => tagAt(text, index)).filter((tag) => !NO_TEXT.test(tag));
    if (tags.length === 0) continue;
    found.set(
      file,
      tags.flatMap(
        (tag) => /\s(?:aria-)?label="([^"]+)"/.exec(tag)?.[1] ?? (tag.startsWith("<ReasonField") ? "Reason" : []),
      ),
    );
  }
  return found;
}

const ON_PAGE = [
  ...["text", "search", "url", "email", "password"].map((type) => `input[type=${type}]`),
  "input:not([type])",
  "textarea",
].join();

/** The editable text fields. */
export const textFields = (within: Locator): Locator =>
  within.locator(ON_PAGE).and(within.page().locator(":read-write:enabled")).filter({ visible: true });

/** The label and the maximum length of each field. */
const aboutFields = (fields: Locator) =>
  fields.evaluateAll((elements) =>
    (elements as HTMLInputElement[]).map((element) => ({
      label: (element.labels?.[0]?.textContent ?? element.getAttribute("aria-label") ?? "").replace(/ \*$/, ""),
      most: element.maxLength < 0 ? 1000 : element.maxLength,
      text: element.value,
      isChoice: element.getAttribute("aria-haspopup") === "listbox" && element.getAttribute("role") !== null,
    })),
  );

/** A request needs a sentence as its reason, so one is used if it fits. */
const LONG = 150;
const AND_WHY = ", and it cannot wait any longer";

/** Types a different text into every text field that was not filled before. Returns the labels of these fields. */
export async function typeEverywhere(within: Locator, typed: Set<string>): Promise<string[]> {
  const fields = textFields(within);
  const about = await aboutFields(fields);
  const labels: string[] = [];
  for (const [index, { label, most, text: before }] of about.entries()) {
    labels.push(label);
    if (typed.has(before)) continue;
    const text = most > LONG ? `${payload(LONG)}${AND_WHY}` : payload(most);
    await fields.nth(index).fill(text);
    if (label === "Tags") await replaceTag(fields.nth(index));
    typed.add(text);
  }
  return labels;
}

let tags = 0;

/** Enters the text, which is not a valid tag, and then a valid new one, which removes the error. */
async function replaceTag(field: Locator): Promise<void> {
  await field.press("Enter");
  await field.fill(`valid-${(tags += 1)}`);
  await field.press("Enter");
}

/** Valid values for fields that refuse other text, by label: first the first value, then the next one after each refusal. */
const VALID: readonly [label: RegExp, ...texts: string[]][] = [
  [/^(ca|client) certificate/i, ""],
  [/port/i, "8443"],
  [/host/i, "server2.example.com"],
  [/^email attribute/i, "mail"],
  [/attribute/i, "uid"],
  [/email/i, "somebody@example.com"],
  [/address/i, "https://somewhere.example.com/", "ldaps://directory.example.com"],
  [/issuer/i, "https://id.example.com"],
  [/scopes/i, "openid"],
  [/^group filter/i, "(member={dn})"],
  [/filter/i, "(mail={name})"],
  [/^check url/i, "https://api.example.com/me"],
  [/status/i, "200-299"],
  [/networks/i, "10.0.0.0/8"],
  [/^mode$/i, "0600"],
  [/^file$/i, "/etc/app.conf"],
  [/^content$/i, "{{password}}"],
  [/symbols|characters/i, "!#"],
];

/** A test user without safes and groups, for fields that search users by name. */
export const NEWCOMER = "newcomer";

/** Selects the first suggestion of a field. */
export async function takeFirst(
  page: Page,
  field: Pick<ElementHandle<Element>, "isEditable" | "fill" | "click">,
): Promise<void> {
  if (await field.isEditable()) await field.fill("");
  await field.click();
  const option = page.getByRole("option").filter({ visible: true }).first();
  const asksForText = page.getByText("Type at least 2 letters").filter({ visible: true }).first();
  await option.or(asksForText).first().waitFor();
  if (await asksForText.isVisible()) {
    await field.fill(NEWCOMER);
    await page.getByRole("option", { name: NEWCOMER }).filter({ visible: true }).first().click();
  } else await option.click();
}

/** Corrects a form's errors: makes missing choices, and replaces refused texts with valid values. */
export async function putRight(within: Locator, turn: number): Promise<void> {
  const objected = within.locator("[aria-invalid=true]").filter({ visible: true });
  const about = await aboutFields(objected);
  // A corrected field no longer shows an error, so the next error moves into its place.
  const fields = await Promise.all(about.map((_, index) => objected.nth(index).elementHandle()));
  for (const [index, { label, isChoice }] of about.entries()) {
    const [, ...texts] = VALID.find(([pattern]) => pattern.test(label)) ?? [/./, "valid-1"];
    if (isChoice) await takeFirst(within.page(), fields[index]!);
    else await fields[index]!.fill(texts[Math.min(turn, texts.length - 1)]!);
  }
}
