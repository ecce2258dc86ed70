// Turns the processes of a host into text for the detectors: for each program, one text with the arguments and one with
// the environments.
import type { ReadProcess } from "@strongroom/connectors";

export interface ProcessText {
  /** The place of its findings: `process:arguments:USER:NAME`. Paths of files begin with a slash. */
  place: string;
  /** A name for the detectors, which decides how they read the text. */
  file: "process.sh" | "process.env";
  user: string;
  /** All users of a host can list arguments; only the owner can read the environment. */
  mode: "644" | "600";
  text: string;
}

/** Several processes of one program and user share a place, so that a restart changes nothing. */
export function textsOf(processes: readonly ReadProcess[]): ProcessText[] {
  const lines = new Map<string, { of: Omit<ProcessText, "text">; lines: Set<string> }>();
  const add = (of: Omit<ProcessText, "text">, line: string) => {
    const known = lines.get(of.place) ?? { of, lines: new Set() };
    known.lines.add(line);
    lines.set(of.place, known);
  };
  for (const { user, name, args, environment } of processes) {
    const [owner, program] = [partOf(user), partOf(name)];
    if (owner === "" || program === "") continue;
    const place = (part: string) => `process:${part}:${owner}:${program}`;
    const common = { user: owner } as const;
    add({ ...common, place: place("arguments"), file: "process.sh", mode: "644" }, args.map(word).join(" "));
    for (const setting of environment)
      add({ ...common, place: place("environment"), file: "process.env", mode: "600" }, oneLine(setting));
  }
  return [...lines.values()].map((each) => ({ ...each.of, text: [...each.lines].join("\n") }));
}

const LONGEST_NAME = 64;
const partOf = (text: string): string => oneLine(text).replaceAll(":", "_").trim().slice(0, LONGEST_NAME);

const oneLine = (text: string): string => text.replaceAll(/\p{C}/gu, " ");

/** An argument, quoted as one word of a command line. */
const word = (text: string): string => {
  const line = oneLine(text);
  return /[\s"'\\$`]/.test(line) ? `'${line.replaceAll("'", `'\\''`)}'` : line;
};
