// Prints findings: for people, as lines of JSON, or as SARIF. None of them contains a value.
import type { DetectorClass, FindingFacts, Severity } from "@strongroom/detectors";
import { jsonText, print } from "../output.ts";

export interface Reported extends FindingFacts {
  path: string;
}

export function printLine({ path, line, column, severity, class: found, preview, reason }: Reported): void {
  print(`${path}:${line}:${column} ${severity} ${found} ${preview} ${reason}`);
}

/** One object per line; `line` and `end` are the first and last line. */
export function printJsonLine(finding: Reported): void {
  const {
    path,
    line,
    endLine,
    class: found,
    severity,
    confidence,
    preview,
    fingerprint,
    column,
    start,
    ...rest
  } = finding;
  const { type, detector, keyName, userName, host, port, url, encoding, reason, publicKey } = rest;
  const shown = { path, line, end: endLine, class: found, severity, confidence, preview, fingerprint };
  const more = {
    column,
    span: [start, rest.end],
    type,
    detector,
    keyName,
    userName,
    host,
    port,
    url,
    encoding,
    publicKey,
    reason,
  };
  process.stdout.write(`${jsonText({ ...shown, ...more })}\n`);
}

const DESCRIPTIONS: Record<DetectorClass, string> = {
  password: "A password in a file",
  weak_password: "A password that attackers try first",
  api_token: "A token in a file",
  encryption_key: "A secret key in a file",
  private_key: "A private key in a file",
  password_hash: "A hashed password in a file",
  certificate: "A certificate with a problem",
  known_secret: "A secret of the vault in a file",
};

const LEVELS: Record<Severity, "note" | "warning" | "error"> = {
  low: "note",
  medium: "warning",
  high: "error",
  critical: "error",
};

/** SARIF 2.1.0 with one rule per class. */
export function printSarif(findings: readonly Reported[], version: string): void {
  const classes = [...new Set(findings.map((each) => each.class))].sort();
  const rules = classes.map((id) => ({ id, shortDescription: { text: DESCRIPTIONS[id] } }));
  const results = findings.map((each) => ({
    ruleId: each.class,
    ruleIndex: classes.indexOf(each.class),
    level: LEVELS[each.severity],
    message: { text: `${each.reason} ${each.preview}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: each.path.split("/").map(encodeURIComponent).join("/") },
          region: { startLine: each.line, startColumn: each.column, endLine: each.endLine },
        },
      },
    ],
    ...(each.fingerprint !== null && { partialFingerprints: { "strongroomSecret/v1": each.fingerprint } }),
    properties: { severity: each.severity, confidence: each.confidence },
  }));
  const driver = { name: "strongroom", version, rules };
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results }],
  };
  process.stdout.write(`${jsonText(log, 2)}\n`);
}
