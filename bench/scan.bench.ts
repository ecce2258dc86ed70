// The detectors: precision, recall and F1 on the labelled corpus compared with other scanners, and speed on a tree of
// files.
import { KnownSecretIndex, knownForms, scanText } from "@strongroom/detectors";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { corpus, SPLIT_NAMES } from "./support/scan-corpus.ts";
import type { LabelledFile } from "./support/scan-corpus.ts";
import { peers } from "./support/scan-peers.ts";
import type { Span } from "./support/scan-peers.ts";
import { tree } from "./support/scan-tree.ts";
import { figure, printTable, withRange } from "./support/table.ts";

const MEGABYTES = Number(process.env.BENCH_MB ?? 200);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

interface Score {
  right: number;
  wrong: number;
  missed: number;
}

const files = corpus();
const found = files.map((file) => scanned(file));
const ours: Span[][] = found;

/** Scans the bytes of a file, as the product does, and returns the findings as spans of its text. */
function scanned({ path, text }: LabelledFile, knownSecrets?: KnownSecretIndex) {
  const bytes = Buffer.from(text);
  const indexOf = (offset: number) => bytes.toString("utf8", 0, offset).length;
  const options = { path, ...(knownSecrets === undefined ? {} : { knownSecrets }) };
  return scanText(bytes, options).map((finding) => ({
    class: finding.class,
    start: indexOf(finding.start),
    end: indexOf(finding.end),
  }));
}

/** A finding is right if it overlaps a label; several findings in one label count once. */
function scoreOf(
  spans: readonly Span[][],
  isWanted: (file: LabelledFile, label?: LabelledFile["labels"][number]) => boolean,
): Score {
  const score = { right: 0, wrong: 0, missed: 0 };
  for (const [index, file] of files.entries()) {
    if (!isWanted(file)) continue;
    const found = spans[index]!;
    const touches = (span: Span, label: Span) => span.start < label.end && span.end > label.start;
    for (const label of file.labels.filter((each) => isWanted(file, each))) {
      if (found.some((span) => touches(span, label))) score.right += 1;
      else score.missed += 1;
    }
    score.wrong += found.filter((span) => !file.labels.some((label) => touches(span, label))).length;
  }
  return score;
}

function row(name: string, { right, wrong, missed }: Score): string[] {
  const [precision, recall] = [right / (right + wrong), right / (right + missed)];
  const percent = (value: number) => (Number.isNaN(value) ? "–" : (value * 100).toFixed(1));
  return [
    name,
    String(right + missed),
    percent(precision),
    percent(recall),
    percent((2 * precision * recall) / (precision + recall)),
  ];
}

const HEAD = ["", "labels", "precision", "recall", "F1"];
const lines = files.reduce((sum, { text }) => sum + text.split("\n").length, 0);
console.log(`Corpus: ${files.length} files, ${lines} lines.`);
printTable(
  HEAD,
  SPLIT_NAMES.map((name) =>
    row(
      name,
      scoreOf(ours, ({ split }) => split === name),
    ),
  ),
);

/** Labels have coarser classes than findings. */
const coarse = (name: string): string =>
  name === "weak_password" ? "password" : name === "api_token" || name === "encryption_key" ? "token" : name;

/** Recall counts the labels of a class, precision the findings of that class. */
function scoreOfClass(name: string, isWanted: (file: LabelledFile) => boolean): Score {
  const { right, missed } = scoreOf(ours, (file, label) => isWanted(file) && (label?.class ?? name) === name);
  const wrong = files.flatMap((file, index) =>
    isWanted(file)
      ? found[index]!.filter(
          (each) =>
            coarse(each.class) === name && !file.labels.some(({ start, end }) => each.start < end && each.end > start),
        )
      : [],
  ).length;
  return { right, wrong, missed };
}

const classes = [...new Set(files.flatMap(({ labels }) => labels.map((label) => label.class)))].sort();
for (const [title, isWanted] of [
  ["all files", () => true],
  ["rarer held-out", ({ split }: LabelledFile) => split === "rarer held-out"],
  ["rarer fresh", ({ split }: LabelledFile) => split === "rarer fresh"],
] as const) {
  printTable(
    [`class, ${title}`, ...HEAD.slice(1)],
    classes.map((name) => row(name, scoreOfClass(name, isWanted))),
  );
}

const formatOf = ({ path }: LabelledFile): string => /\.(\w{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? "no ending";
const formats = Map.groupBy(files, formatOf);
printTable(
  HEAD,
  [...formats.keys()]
    .filter((format) => formats.get(format)!.flatMap(({ labels }) => labels).length >= 15)
    .sort()
    .map((format) =>
      row(
        format,
        scoreOf(ours, (file) => formatOf(file) === format),
      ),
    ),
);

const key = Buffer.alloc(32, 7);
const values = [
  ...new Set(
    files.flatMap(({ labels }) =>
      labels.filter((label) => label.class === "password" || label.class === "token").map(({ value }) => value),
    ),
  ),
];
const index = new KnownSecretIndex(
  key,
  values.flatMap((value, id) => knownForms(value, key).map((form) => ({ ...form, id: String(id) }))),
);
const known = files.map((file) => scanned(file, index));
const onlyKnown = files.map(({ text }) => index.matches(Buffer.from(text).toString("latin1")));
const others = await peers(files);
printTable(HEAD, [
  row(
    "strongroom",
    scoreOf(ours, () => true),
  ),
  row(
    "strongroom, passwords and tokens in the vault",
    scoreOf(known, () => true),
  ),
  row(
    "known-secret matching alone",
    scoreOf(onlyKnown, (_, label) => label === undefined || label.class === "password" || label.class === "token"),
  ),
  ...[...others].map(([name, spans]) =>
    row(
      name,
      scoreOf(spans, () => true),
    ),
  ),
]);

// Speed: the CPU time of this process, which the load of the machine hardly affects.
const root = mkdtempSync(join(tmpdir(), "scan-bench-"));
try {
  const made = [...tree(MEGABYTES)];
  const total = made.reduce((sum, { content }) => sum + content.length, 0) / 1e6;
  const cpu = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  const speeds: number[] = [];
  const knownSpeeds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    speeds.push(total / cpu(() => made.forEach(({ path, content }) => scanText(content, { path }))));
    knownSpeeds.push(
      total / cpu(() => made.forEach(({ content }) => index.matches(Buffer.from(content).toString("latin1")))),
    );
  }
  for (const [at, { content }] of made.entries()) {
    const target = join(root, String(at % 100), `${at}.txt`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const started = performance.now();
  spawnSync("grep", ["-rEc", "password|passwd|secret|token|api_key|BEGIN", root], { stdio: "ignore" });
  const grep = total / ((performance.now() - started) / 1000);
  const unit = `{"key":"value","n":1,"token":null,"list":[1,2,3],"text":"lorem ipsum dolor"},`;
  const long = (megabytes: number) => Buffer.from(unit.repeat((megabytes * 1e6) / unit.length));
  const [one, ten] = [long(1), long(10)].map((content) => cpu(() => scanText(content, { path: "a.json" }))) as [
    number,
    number,
  ];
  printTable(
    ["speed, one thread", "MB/s"],
    [
      [`tree of ${figure(total)} MB, ${made.length} files`, withRange(speeds)],
      [`known-secret matching, ${values.length} values`, withRange(knownSpeeds)],
      ["grep -rE of 6 words (wall clock)", figure(grep)],
      ["a line of 1 MB", figure(1 / one)],
      ["a line of 10 MB", figure(10 / ten)],
    ],
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
