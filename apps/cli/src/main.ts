#!/usr/bin/env node
// `strongroom`: finds the requested command, runs it, and reports an error in one line.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { CommandError, UsageError } from "./command-error.ts";
import { commands } from "./commands.ts";
import { note, print } from "./output.ts";

/**
 * Errors with a message for users, by name: importing their classes would load the whole server for a usage message.
 */
const PLAIN = new Set(["StartError", "Refusal", "SealError", "SealedError"]);

async function main(words: string[]): Promise<number> {
  if (words.length === 0 || words[0] === "help" || words.includes("--help") || words.includes("-h")) {
    usage(words);
    return words.length === 0 ? 2 : 0;
  }
  const name = nameOf(words);
  const found = name === null ? undefined : commands[name];
  if (name === null || found === undefined) {
    note(`strongroom: unknown command "${words.slice(0, 2).join(" ")}". "strongroom help" lists all commands.`);
    return 2;
  }
  try {
    const { run } = await found.load();
    return await run(words.slice(name.split(" ").length));
  } catch (error) {
    note(`strongroom: ${sentenceOf(error)}`);
    if (error instanceof UsageError) note(`Usage: strongroom ${name} ${found.takes}`);
    if (isTalkative() && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return error instanceof CommandError ? error.status : 1;
  }
}

/** Command names have one or two words. */
function nameOf(words: readonly string[]): string | null {
  const candidates = [words.slice(0, 2).join(" "), words[0] ?? ""];
  return candidates.find((candidate) => Object.hasOwn(commands, candidate)) ?? null;
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return "Internal error.";
  if (error instanceof CommandError || PLAIN.has(error.name)) return error.message;
  const hint = isTalkative() ? "" : " (STRONGROOM_LOG_LEVEL=debug shows more)";
  return `${error.message.split("\n", 1)[0] || error.name}${hint}`;
}

const isTalkative = (): boolean => ["debug", "trace"].includes(process.env["STRONGROOM_LOG_LEVEL"] ?? "");

function usage(words: readonly string[]): void {
  const wanted = words.find((word) => Object.keys(commands).some((name) => name.split(" ")[0] === word));
  print("Usage: strongroom COMMAND");
  for (const [name, { takes, summary }] of Object.entries(commands)) {
    if (wanted !== undefined && name.split(" ")[0] !== wanted) continue;
    print("");
    print(`  ${name} ${takes}`.trimEnd());
    print(`      ${summary}`);
  }
}

// As for the server (scripts/run-server.mjs): most commands load all of it, and this saves half a second at startup.
enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/strongroom"));
// A reader such as `head` may close the pipe: the writer notices and still cleans up.
process.stdout.on("error", () => undefined);
const status = await main(process.argv.slice(2));
// After all output is flushed: a connection that watches another process's database server may still be open.
process.stdout.write("", () => process.exit(status));
