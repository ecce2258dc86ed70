// `inject`: prints a file with its references replaced by the secrets of their accounts, or writes it to another file.
import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { resolveTexts } from "../resolve-references.ts";

export const inject = command({
  options: { out: { type: "string", short: "o" }, url: { type: "string" } },
  operands: [0, 1],
  async run({ out, url }, file) {
    const template = file === undefined ? await text(process.stdin) : readText(file);
    const [content = ""] = await resolveTexts([template], url);
    if (out === undefined) process.stdout.write(content);
    else replaceFile(out, content);
  },
});

export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandError(`Cannot read ${path}. Check its path and mode.`, { cause: error });
  }
}

/** Only the owner can read the file, at every moment; readers see the old content or the new one. */
function replaceFile(path: string, content: string): void {
  const written = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(written, content, { mode: 0o600, flag: "wx" });
    renameSync(written, path);
  } catch (error) {
    rmSync(written, { force: true });
    throw new CommandError(`Cannot write ${path}. Check its folder.`, { cause: error });
  }
}
