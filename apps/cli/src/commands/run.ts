// `run`: starts a program with the references in its environment replaced by the secrets of their accounts.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { parseEnv } from "node:util";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { resolveTexts } from "../resolve-references.ts";
import { readText } from "./inject.ts";

const SIGNALS = ["SIGTERM", "SIGHUP"] as const;
/** Shells add the number of a signal to it. */
const ENDED_BY_SIGNAL = 128;

export const run = command({
  options: { "env-file": { type: "string", multiple: true }, url: { type: "string" } },
  operands: [1, Infinity],
  async run({ "env-file": files = [], url }, program = "", ...words) {
    // The token could retrieve more than the program needs.
    const { STRONGROOM_TOKEN: _, ...inherited } = process.env;
    const settings = Object.entries({
      ...inherited,
      ...Object.assign({}, ...files.map((file) => parseEnv(readText(file)))),
    });
    const values = await resolveTexts(
      settings.map(([, value]) => value as string),
      url,
    );
    return start(program, words, Object.fromEntries(settings.map(([name], index) => [name, values[index]!])));
  },
});

function start(program: string, words: readonly string[], env: Record<string, string>): Promise<number> {
  const child = spawn(program, words, { stdio: "inherit", env });
  // The program decides what a signal means, and this process waits for it. Ctrl-C reaches both.
  process.on("SIGINT", () => {});
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      reject(new CommandError(`Cannot run ${program}. Check that it is installed.`, { cause: error }));
    });
    child.once("exit", (status, signal) => {
      resolve(status ?? ENDED_BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
