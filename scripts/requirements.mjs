// Writes the columns "status" and "shown by" of docs/requirements.md from the tests and decisions that cite each row.
// `--check` only compares. Ids and texts in that file are the specification's and are never changed here.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = join(root, "docs", "requirements.md");

/** Statements about the product as a whole. */
const STATEMENTS = ["PROD"];

/** Rows that an open point of the section *Decisions* replaces. */
const REPLACED = { "CRED-18": "OPEN-54", "AUDIT-08": "OPEN-131", "AUDIT-17": "OPEN-130" };

const AREAS =
  "PROD|AUTH|SHELL|DASH|CRED|VAULT|CPM|HTTP|ERR|ACC|SAFE|JIT|SES|SIGNUP|DEMO|DISC|SCAN|FIND|RISK|REPORT|VAL|AUDIT|FILTER|NOTIF|PLACE|API|OPEN";
const CITATION = new RegExp(`\\b(${AREAS})-(\\d{2,3})(?: to (?:(?:${AREAS})-)?(\\d{2,3}))?\\b`, "g");
const ROW = /^\| ((?:[A-Z]+)-\d{2,3}) \| (.*?) \| ([^|]*) \| ([^|]*) \|$/;

/** The ids that a text cites; `JIT-24 to JIT-26` is three ids. A bare number after a comma (`OPEN-04, 05`) is not an id. */
export function idsIn(text) {
  const ids = new Set();
  for (const [, area, first, last = first] of text.matchAll(CITATION)) {
    for (let number = Number(first); number <= Number(last); number++)
      ids.add(`${area}-${String(number).padStart(2, "0")}`);
  }
  return ids;
}

function filesIn(folder, isWanted) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ["node_modules", "dist"].includes(entry.name) ? [] : filesIn(path, isWanted);
    return isWanted(path) ? [path] : [];
  });
}

/** Of each id, the files that cite it. */
function citationsIn(files) {
  const found = new Map();
  for (const file of files.toSorted())
    for (const id of idsIn(readFileSync(join(root, file), "utf8"))) found.set(id, [...(found.get(id) ?? []), file]);
  return found;
}

const testFiles = () =>
  ["apps", "packages", "e2e", "docs", "scripts"].flatMap((folder) =>
    filesIn(folder, (path) => /\.test\.tsx?$/.test(path) && path !== "scripts/requirements.test.ts"),
  );
const decisionFiles = () => filesIn("docs/decisions", (path) => /\/\d{4}-.*\.md$/.test(path));

/** The page as it should be, and what is wrong beyond that. */
export function derive(text = readFileSync(page, "utf8")) {
  const tests = citationsIn(testFiles());
  const decisions = citationsIn(decisionFiles());
  const known = new Set();
  const untested = [];
  const decided = idsIn(inFull(text.slice(text.indexOf("\n## Decisions"))));
  const lines = text.split("\n").map((line) => {
    const [, id, requirement] = ROW.exec(line) ?? [];
    if (id === undefined) return line;
    known.add(id);
    const replaced = id in REPLACED ? [`section Decisions, ${REPLACED[id]}`] : [];
    const shownBy = [...(tests.get(id) ?? []), ...(decisions.get(id) ?? []), ...replaced];
    const status = statusOf(id, { tests, decisions, decided });
    if (status === "no test") untested.push(id);
    return `| ${id} | ${requirement} | ${status} | ${shownBy.map((file) => `\`${file}\``).join(", ")} |`;
  });
  const unknown = [...tests].flatMap(([id, files]) => (known.has(id) ? [] : [`${id} in ${files.join(", ")}`]));
  return { text: lines.join("\n"), unknown, untested, known };
}

/** `OPEN-04, 05, 11:` as `OPEN-04, OPEN-05, OPEN-11:`, as the list of decisions writes it. */
function inFull(text) {
  const next = /(OPEN-\d{2,3}(?: to \d{2,3})?, )(?=\d{2,3}\b)/g;
  let before;
  do {
    before = text;
    text = text.replace(next, "$1OPEN-");
  } while (text !== before);
  return text;
}

function statusOf(id, { tests, decisions, decided }) {
  const [area] = id.split("-");
  if (tests.has(id)) return "tested";
  if (decisions.has(id) || id in REPLACED) return "by decision";
  if (area === "OPEN" && decided.has(id)) return "decided";
  if (STATEMENTS.includes(area)) return "statement";
  return "no test";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = readFileSync(page, "utf8");
  const { text, unknown, untested } = derive(before);
  if (process.argv.includes("--check")) {
    if (text !== before) console.error("docs/requirements.md is out of date: run node scripts/requirements.mjs");
    process.exitCode = text === before && unknown.length === 0 ? 0 : 1;
  } else {
    writeFileSync(page, text);
  }
  for (const each of unknown) console.error(`Unknown row: ${each}`);
  console.log(`${untested.length} rows without a test or a decision`);
  console.log(`${relative(root, page)}: ${text.split("\n").filter((line) => ROW.test(line)).length} rows`);
}
