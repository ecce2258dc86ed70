// The matrix of what was struck, as it goes into docs/rotation-safety.md.
import { nameOf as placeName } from "./strikes.ts";
import type { Strike, Struck } from "./strikes.ts";
import type { Subject } from "./subject.ts";

const INTRO = `# What a rotation survives

Made by \`npm run rotation-safety\` (all of it, or the systems that are named: \`npm run rotation-safety -- postgresql redis\`).
A real server process with a database of its own changes secrets on real systems, each reached through a proxy, and is struck
once in each rotation:

- **killed** by \`kill -9\`, at each write of the journal and at each piece that it sends to the system. *Before*: the write is
  rolled back, the piece never arrives. *After*: the write is committed, the system has got the piece and answered, and the
  process never heard of it. Writes are stopped at the end of their transaction by a trigger in the database, pieces by the
  proxy: the product has nothing in it for this.
- **paused**: the answer comes after the process has given up. **Reset**: the connection breaks when the answer comes.
  **Black-holed**: it never comes, and nothing else does. *Lost*: the piece does not arrive either.

A case is good when, without anybody's help, the rotation has come to its end, the secret that the product then shows logs in
on the system, and the one before does not (Active Directory goes on accepting that for an hour). Cells are
"good of all, the slowest in seconds". One thing is helped along: the minute for which a dead process keeps its work is not
waited for. What the driver sends in one piece or in two varies; places that a rotation did not come by are not counted. Of what is sent
in many small pieces some of each connection are struck, and its last ones (\`MOST_PIECES=5\` for fewer).

"By a reconcile account": the account's password is set by another one. "Dependents": the account's own change is left alone, and what
follows from it is struck; a case is good when the user elsewhere has the new password and the old one does not log in any more.

"A double of ours": no real server of the kind was ever struck; what the double leaves out stands in [connectors.md](connectors.md).

Not here: HTTP bearer, whose change is the same request as with HTTP basic; no site here changes tokens. Reconcile changes of the
other systems, which end in the same probes. Accounts, files and web hooks as dependents.
`;

type Column = "killed before" | "killed after" | "paused" | "reset" | "black-holed";
const COLUMNS: readonly Column[] = ["killed before", "killed after", "paused", "reset", "black-holed"];

function columnOf({ how, when }: Strike): Column {
  if (how === "killed") return `killed ${when}`;
  return how === "pause" ? "paused" : how === "reset" ? "reset" : "black-holed";
}

/** One system's part. */
export function sectionOf(
  { name, version, connections }: Pick<Subject, "name" | "version" | "connections">,
  all: readonly Struck[],
  on: Date,
): string {
  const nameOf = (place: Strike["place"]) => placeName(place, connections);
  const reached = all.filter(({ wasReached }) => wasReached);
  const places = [...new Set(all.map(({ strike }) => nameOf(strike.place)))];
  const cell = (place: string, column: Column): string => {
    const cases = reached.filter(({ strike }) => nameOf(strike.place) === place && columnOf(strike) === column);
    if (cases.length === 0) return "";
    const good = cases.filter(({ problem }) => problem === null).length;
    return `${good} of ${cases.length}, ${Math.max(...cases.map(({ seconds }) => seconds)).toFixed(0)} s`;
  };
  const bad = all.filter(({ problem }) => problem !== null);
  const lines = [
    `## ${name}`,
    "",
    `${[version, on.toISOString().slice(0, 10)].filter((text) => text !== "").join(", ")}. ${reached.length} rotations were struck, ${reached.length - bad.length} ended well.`,
    "",
    `| where | ${COLUMNS.join(" | ")} |`,
    `|---|${COLUMNS.map(() => "---").join("|")}|`,
    ...places.map((place) => `| ${place} | ${COLUMNS.map((column) => cell(place, column)).join(" | ")} |`),
    "",
    ...leftToDo(all),
    ...bad.map(({ strike, problem }) => `- ${nameOf(strike.place)}, ${strike.how} ${strike.when}: ${problem}`),
    ...(bad.length > 0 ? [""] : []),
  ];
  return lines.join("\n");
}

function leftToDo(all: readonly Struck[]): string[] {
  const sentences = all.flatMap((struck) => (struck.leftToDo === null ? [] : [struck.leftToDo]));
  const counts = Map.groupBy(sentences, (each) => each);
  return [...counts].flatMap(([sentence, same]) => [`In ${same.length} of them ${sentence}`, ""]);
}

/** The page with these sections in the place of those of the same name. */
export function pageWith(page: string, sections: readonly string[]): string {
  const titleOf = (section: string) => section.split("\n", 1)[0]!;
  const old = page.split(/^(?=## )/m).slice(1);
  const kept = new Map(old.map((section) => [titleOf(section), section]));
  for (const section of sections) kept.set(titleOf(section), section);
  return [INTRO, ...kept.values()].map((part) => `${part.trimEnd()}\n`).join("\n");
}
