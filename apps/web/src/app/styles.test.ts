import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const require = createRequire(import.meta.url);
const core = join(dirname(require.resolve("@mantine/core/styles.css")), "esm");
const source = join(import.meta.dirname, "..");

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

/** Maps each export of Mantine's core to its module. */
function moduleOfExports(): Map<string, string> {
  const index = readFileSync(join(core, "index.mjs"), "utf8");
  return new Map(
    [...index.matchAll(/import \{([^}]+)\} from "(\.\/components\/[^"]+)"/g)].flatMap(([, names = "", path = ""]) =>
      names.split(",").map((name) => [name.trim(), join(core, path)] as const),
    ),
  );
}

/** The style sheets needed by a module and by everything it imports. */
function sheetsOf(module: string, seen: Set<string>): string[] {
  if (seen.has(module)) return [];
  seen.add(module);
  const sheet = /(\w+)\.module\.mjs$/.exec(module)?.[1];
  if (sheet !== undefined) return [sheet];
  const imports = [...readFileSync(module, "utf8").matchAll(/from "(\.[^"]+\.mjs)"/g)].map(([, path = ""]) =>
    join(dirname(module), path),
  );
  return imports.flatMap((path) => sheetsOf(path, seen));
}

function componentsInUse(): Set<string> {
  const files = filesUnder(source).filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));
  const imports = files.flatMap((path) => [
    ...readFileSync(path, "utf8").matchAll(/import \{([^}]+)\} from "@mantine\/core"/g),
  ]);
  const names = imports.flatMap(([, list = ""]) => list.split(","));
  return new Set(
    names.map((name) => name.trim().split(" as ")[0] ?? "").filter((name) => name !== "" && !name.startsWith("type ")),
  );
}

const styles = readFileSync(join(import.meta.dirname, "styles.ts"), "utf8");
const imported = [...styles.matchAll(/@mantine\/core\/styles\/(\w+)\.layer\.css/g)].map(([, name = ""]) => name);

/** Mantine's notifications package has its own style sheet and also needs these of the core. */
const NEEDED_BY_OTHERS = ["Notification", "Portal", "Transition"];

function needed(): string[] {
  const modules = moduleOfExports();
  const seen = new Set<string>();
  return [...componentsInUse(), ...NEEDED_BY_OTHERS].flatMap((name) => {
    const module = modules.get(name);
    return module === undefined ? [] : sheetsOf(module, seen);
  });
}

test("every Mantine component in use has its style sheet in styles.ts", () => {
  const sheets = needed();
  expect(sheets).toContain("Button");
  expect(sheets.filter((sheet) => !imported.includes(sheet))).toEqual([]);
});

test("styles.ts imports no unused style sheet", () => {
  const always = ["baseline", "default-css-variables", "global"];
  const sheets = new Set([...needed(), ...always]);
  expect(imported.filter((sheet) => !sheets.has(sheet))).toEqual([]);
});

test("styles.ts keeps Mantine's own order, in which later sheets override earlier ones", () => {
  const whole = readFileSync(join(core, "..", "styles.layer.css"), "utf8");
  // The class name of a sheet's first rule locates it in Mantine's combined style sheet.
  const places = imported
    .filter((name) => !["baseline", "default-css-variables", "global"].includes(name))
    .map((name) => {
      const sheet = readFileSync(join(core, "..", "styles", `${name}.layer.css`), "utf8");
      const rule = /\.m_[0-9a-f]+/.exec(sheet)?.[0] ?? "";
      return { name, place: whole.indexOf(rule) };
    });
  expect(places.map(({ name }) => name)).toEqual(places.toSorted((a, b) => a.place - b.place).map(({ name }) => name));
});

test("every class that a component uses is in its style sheet", () => {
  const missing = filesUnder(source).flatMap((path) => {
    if (!/\.tsx?$/.test(path)) return [];
    const text = readFileSync(path, "utf8");
    return [...text.matchAll(/^import (\w+) from "(\S+\.module\.css)";$/gm)].flatMap(([, name = "", sheet = ""]) => {
      const file = sheet.startsWith("#") ? join(source, sheet.slice(1)) : join(dirname(path), sheet);
      const rules = readFileSync(file, "utf8");
      const used = [...text.matchAll(new RegExp(`\\b${name}\\.([A-Za-z]\\w*)\\b`, "g"))].map(([, used = ""]) => used);
      return used
        .filter((each) => each !== "module" && !new RegExp(`\\.${each}\\b`).test(rules))
        .map((each) => `${path}: ${each}`);
    });
  });
  expect(missing).toEqual([]);
});
