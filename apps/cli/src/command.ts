// The definition of a command: its options, its operands and its action.
import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";
import { UsageError } from "./command-error.ts";

type Values<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>["values"];

interface Definition<O extends ParseArgsOptionsConfig> {
  options: O;
  /** The minimum and maximum number of operands. */
  operands: readonly [least: number, most: number];
  /** Returns the exit status; default 0. */
  run: (values: Values<O>, ...operands: string[]) => Promise<number | void>;
}

export interface Command {
  /** Takes the words after the command's name. Returns the exit status. */
  run: (words: string[]) => Promise<number>;
}

export function command<const O extends ParseArgsOptionsConfig>(definition: Definition<O>): Command {
  const { options, operands, run } = definition;
  return {
    async run(words) {
      const { values, positionals } = parse(words, options);
      const [least, most] = operands;
      if (positionals.length < least) throw new UsageError("Missing argument.");
      if (positionals.length > most) throw new UsageError(`Unexpected argument "${positionals[most]}".`);
      return (await run(values, ...positionals)) ?? 0;
    },
  };
}

function parse<O extends ParseArgsOptionsConfig>(words: string[], options: O) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true });
  } catch (error) {
    // Node's sentence about the option; the rest is advice for programmers.
    const [sentence] = (error as Error).message.split(". ");
    throw new UsageError(`${sentence?.replace(/\.$/, "")}.`, { cause: error });
  }
}
