// `scan`: finds secrets in files. Needs no server, no database and no network.
import { SEVERITIES } from "@strongroom/detectors";
import type { Severity } from "@strongroom/detectors";
import { ScanPool } from "@strongroom/detectors/scan-pool";
import { createHmac, randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { command } from "../command.ts";
import { UsageError } from "../command-error.ts";
import { count, note } from "../output.ts";
import { accepted, entryOf, keyOf, newBaseline, readBaseline, writeBaseline } from "../scan/baseline.ts";
import { printJsonLine, printLine, printSarif } from "../scan/report.ts";
import type { Reported } from "../scan/report.ts";
import { excluded } from "../scan/source.ts";
import type { Source } from "../scan/source.ts";
import { staged } from "../scan/staged.ts";
import { walk } from "../scan/walk.ts";

const MAX_SIZE = 10 * 1024 * 1024;
/** Bytes that are read ahead of the workers. */
const AHEAD = 32 * 1024 * 1024;
const VERSION = "0.1.0";

/** Exits with 0 without findings, 1 with findings, 2 when the scan did not work. */
export const scan = command({
  options: {
    json: { type: "boolean" },
    sarif: { type: "boolean" },
    staged: { type: "boolean" },
    strict: { type: "boolean" },
    baseline: { type: "string" },
    "update-baseline": { type: "boolean" },
    "fail-on": { type: "string", default: "low" },
    exclude: { type: "string", multiple: true, default: [] },
    "min-confidence": { type: "string", default: "0.5" },
    "max-size": { type: "string", default: String(MAX_SIZE) },
  },
  operands: [0, 10_000],
  async run(values, ...paths) {
    const failOn = severity(values["fail-on"]);
    const minConfidence = number(values["min-confidence"], "--min-confidence", 1);
    const maxSize = number(values["max-size"], "--max-size", Number.MAX_SAFE_INTEGER);
    if (values.json === true && values.sarif === true) throw new UsageError("Choose either --json or --sarif.");
    if (paths.length === 0 && values.staged !== true) throw new UsageError("Missing argument.");
    const update = values["update-baseline"] === true;
    if (update && values.baseline === undefined) throw new UsageError("--update-baseline requires --baseline FILE.");
    const options = { maxSize, isExcluded: excluded(values.exclude) };
    const sources = values.staged === true ? staged(paths.length > 0 ? paths : ["."], options) : walk(paths, options);
    const baseline =
      values.baseline === undefined ? null : update ? newBaseline() : await readBaseline(values.baseline);

    // The workers' fingerprints are compared with the baseline; the shown ones are keyed again, so that neither file helps to guess.
    const isAccepted = baseline === null ? () => false : accepted(baseline);
    const scanKey = baseline === null ? Buffer.alloc(32) : keyOf(baseline);
    const shownKey = process.env["STRONGROOM_SCAN_KEY"] ?? randomBytes(32);
    const findings: Reported[] = [];
    const coverage = new Map<string, number>();
    const add = (reason: string) => coverage.set(reason, (coverage.get(reason) ?? 0) + 1);
    const pool = new ScanPool({
      workers: Math.min(4, availableParallelism()),
      fingerprintKey: scanKey,
      minConfidence,
      now: new Date(),
    });
    try {
      for await (const { path, results } of scanned(sources, pool, add)) {
        for (const finding of results) {
          const reported: Reported = { ...finding, path };
          const tagged = finding.fingerprint ?? "";
          reported.fingerprint = createHmac("sha256", shownKey).update(tagged).digest("base64url");
          if (baseline !== null && update) baseline.findings.push(entryOf(reported, tagged));
          if (update || isAccepted(entryOf(reported, tagged))) continue;
          findings.push(reported);
          if (values.json === true) printJsonLine(reported);
          else if (values.sarif !== true) printLine(reported);
        }
      }
    } finally {
      await pool.close();
    }
    if (values.sarif === true) printSarif(findings, VERSION);
    if (baseline !== null && update) await writeBaseline(values.baseline!, baseline);
    tell(findings, coverage);
    const unread = [...coverage].some(([reason]) => reason !== "scanned" && reason !== "binary");
    if (values.strict === true && unread) return 2;
    return findings.some((each) => SEVERITIES.indexOf(each.severity) >= SEVERITIES.indexOf(failOn)) ? 1 : 0;
  },
});

/** The findings of each file, in the order of the files, while later files are read and scanned. */
async function* scanned(
  sources: AsyncGenerator<Source>,
  pool: ScanPool,
  add: (reason: string) => void,
): AsyncGenerator<{ path: string; results: Reported[] }> {
  const pending: { size: number; done: Promise<{ path: string; results: Reported[] }> }[] = [];
  let ahead = 0;
  for await (const source of sources) {
    if ("unread" in source) {
      add(source.unread);
      continue;
    }
    const size = source.content.byteLength;
    pending.push({ size, done: one(source, pool, add) });
    ahead += size;
    while (ahead > AHEAD || pending.length > 256) {
      const first = pending.shift()!;
      ahead -= first.size;
      yield await first.done;
    }
  }
  for (const { done } of pending) yield await done;
}

async function one(
  { path, content, hasChanged }: Extract<Source, { content: Uint8Array }>,
  pool: ScanPool,
  add: (reason: string) => void,
): Promise<{ path: string; results: Reported[] }> {
  const result = await pool.scan(content, path);
  if (result.outcome !== "scanned") {
    add(result.outcome === "timed-out" ? "took too long" : "unreadable");
    return { path, results: [] };
  }
  add(result.isBinary ? "binary" : "scanned");
  const shown = path.startsWith("/") ? path : relative(".", path) || path;
  const isWanted = (finding: { line: number; endLine: number }) =>
    hasChanged === undefined || hasChanged(finding.line, finding.endLine);
  return { path: shown, results: result.findings.filter(isWanted).map((finding) => ({ ...finding, path: shown })) };
}

function tell(findings: readonly Reported[], coverage: ReadonlyMap<string, number>): void {
  const unread = [...coverage].filter(([reason]) => reason !== "scanned" && reason !== "binary");
  note(`${count(findings.length, "finding")} in ${count(coverage.get("scanned") ?? 0, "text file")}.`);
  if (unread.length > 0)
    note(`Not scanned: ${unread.map(([reason, files]) => `${count(files, "path")} (${reason})`).join(", ")}.`);
}

function severity(text: string): Severity {
  const found = SEVERITIES.find((each) => each === text);
  if (found === undefined) throw new UsageError(`--fail-on takes ${SEVERITIES.join(", ")}.`);
  return found;
}

function number(text: string, option: string, most: number): number {
  const value = Number(text);
  if (!(value >= 0 && value <= most) || text.trim() === "") throw new UsageError(`${option} takes a number.`);
  return value;
}
