// `npm run discovery-company`: scans a scripted company of real hosts with planted facts, prints precision and recall,
// and writes them to docs/discovery.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { companyKeys, linuxHosts, scoreOf, servers, unixHostAvailable } from "@strongroom/connectors/testing";
import type { Score } from "@strongroom/connectors/testing";

const PAGE = join(import.meta.dirname, "../docs/discovery.md");
const [START, END] = ["<!-- company -->", "<!-- /company -->"];

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;

interface Row extends Score {
  name: string;
}

const rows: Row[] = [];

async function add(name: string, score: () => Promise<Score>): Promise<void> {
  const row = { name, ...(await score()) };
  rows.push(row);
  console.log(`${name}: ${row.correct} of ${row.expected} facts found, ${row.wrong.length} wrong`);
  for (const fact of row.missed) console.log(`  missed: ${fact}`);
  for (const fact of row.wrong) console.log(`  wrong: ${fact}`);
}

const skipped: string[] = [];
const obstacle = unixHostAvailable();
if (obstacle === null) for (const host of linuxHosts(await companyKeys())) await add(host.name, () => scoreOf(host));
else skipped.push(`Linux hosts: ${obstacle}`);
for (const server of servers) {
  const missing = server.available();
  if (missing === null) await add(server.name, server.score);
  else skipped.push(`${server.name}: ${missing}`);
}

const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
const [expected, reported, correct] = [
  sum((row) => row.expected),
  sum((row) => row.reported),
  sum((row) => row.correct),
];
const table = [
  "| System | Planted facts | Reported | Precision | Recall |",
  "|---|---|---|---|---|",
  ...rows.map(
    (row) =>
      `| ${row.name} | ${row.expected} | ${row.reported} | ${percent(row.correct, row.reported)} | ${percent(row.correct, row.expected)} |`,
  ),
  `| **All** | ${expected} | ${reported} | ${percent(correct, reported)} | ${percent(correct, expected)} |`,
].join("\n");
console.log(`\n${table}`);
for (const each of skipped) console.log(`Skipped: ${each}`);
if (skipped.length === 0) {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest = ""] = page.split(START);
  const after = rest.split(END)[1] ?? "\n";
  writeFileSync(PAGE, `${before}${START}\n${table}\n${END}${after}`);
}
process.exit(correct === expected && correct === reported && skipped.length === 0 ? 0 : 1);
