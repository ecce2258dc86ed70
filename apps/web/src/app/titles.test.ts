// Titles and buttons are in title case (docs/design.md).
import { readFileSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, test } from "vitest";
import { parseSync } from "vite";

const source = join(import.meta.dirname, "..");

const TITLED =
  /^(\w*Dialog|Modal|SectionCard|ChartCard|PageHeader|DetailHeader|SignedOutLayout|Part|Trend|Section|AuditTrailList)$/;
const WITH_TEXT = /^(Button|Menu\.Item|Table\.Th|Tabs\.Tab)$/;
const SHORT_WORDS = /^(an?|the|and|n?or|of|to|in|on|at|by|for|from|with|as|per|via|vs|than)$/;
/** Questions stay in sentence case. */
const QUESTION = /\?$/;
/** Sentences, the beginning of a button with a name, and two texts that docs/requirements.md quotes. */
const EXCEPTIONS = new Set([
  "Create a new account",
  "Reset password",
  "Sign in with",
  "The database was restored",
  "The vault is sealed",
  "You are not signed in",
  "I did not request this reset",
  "This was not me: cancel the reset",
]);

function isInTitleCase(text: string): boolean {
  if (EXCEPTIONS.has(text) || QUESTION.test(text)) return true;
  return text.split(/\s+/).every((word) => !/^[a-z]/.test(word) || SHORT_WORDS.test(word));
}

interface Syntax {
  type: string;
  [part: string]: unknown;
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === "object" && value !== null && typeof (value as Syntax).type === "string";

function nameOf(name: Syntax): string {
  const { object, property } = name as unknown as { object?: Syntax; property?: Syntax };
  return object === undefined ? String(name["name"]) : `${nameOf(object)}.${nameOf(property!)}`;
}

/** The texts that the expression can have. The texts of a template are separate. */
function textsIn(value: unknown): string[] {
  if (!isSyntax(value)) return [];
  if (value.type === "Literal") return typeof value["value"] === "string" ? [value["value"]] : [];
  if (value.type === "JSXText") return [String(value["value"])];
  if (value.type === "JSXExpressionContainer") return textsIn(value["expression"]);
  if (value.type === "ConditionalExpression") return [...textsIn(value["consequent"]), ...textsIn(value["alternate"])];
  if (value.type === "TemplateLiteral")
    return (value["quasis"] as { value: { cooked: string } }[]).map((each) => each.value.cooked);
  return [];
}

function titlesOfElement(element: Syntax): string[] {
  const { name, attributes } = element["openingElement"] as { name: Syntax; attributes: Syntax[] };
  const tag = nameOf(name);
  const inAttributes = attributes.flatMap((attribute) => {
    if (attribute.type !== "JSXAttribute") return [];
    const key = nameOf(attribute["name"] as Syntax);
    const isTitle =
      (key === "title" && TITLED.test(tag)) ||
      (key === "label" && /^(CardButton|CardSign|StatCard)$/.test(tag)) ||
      /^(submit|confirm|cancel|done)Label$/.test(key);
    return isTitle ? textsIn(attribute["value"]) : [];
  });
  return [...inAttributes, ...(WITH_TEXT.test(tag) ? (element["children"] as Syntax[]).flatMap(textsIn) : [])];
}

/** Column heads, and entries of menus, which have an icon and an effect. */
function titlesOfObject(object: Syntax): string[] {
  const parts = new Map(
    (object["properties"] as Syntax[])
      .filter(({ type }) => type === "Property")
      .map((part) => [nameOf(part["key"] as Syntax), part["value"]] as const),
  );
  const isEntry = parts.has("icon") && (parts.has("onClick") || parts.has("to"));
  return [...textsIn(parts.get("header")), ...(isEntry ? textsIn(parts.get("label")) : [])];
}

function titlesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(titlesIn);
  if (typeof value !== "object" || value === null) return [];
  const own = !isSyntax(value)
    ? []
    : value.type === "JSXElement"
      ? titlesOfElement(value)
      : value.type === "ObjectExpression"
        ? titlesOfObject(value)
        : [];
  return [...own, ...Object.values(value).flatMap(titlesIn)];
}

test("titles of pages, cards and dialogs, buttons, menu entries and column heads are in title case", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\./.test(file) && !/testing|demos/.test(file.split(sep).join("/")),
  );
  const titles = files.flatMap((file) =>
    titlesIn(parseSync(file, readFileSync(join(source, file), "utf8")).program)
      .map((title) => title.replaceAll(/\s+/g, " ").trim())
      .map((title) => ({ file, title })),
  );
  expect(titles.length).toBeGreaterThan(300);
  expect(titles.filter(({ title }) => !isInTitleCase(title))).toEqual([]);
});
