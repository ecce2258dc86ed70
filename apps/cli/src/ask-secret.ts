// Prompts for a secret: at a terminal without echo, else from standard input.
import { text } from "node:stream/consumers";
import { CommandError } from "./command-error.ts";

/**
 * The text typed up to Enter, or the first line of standard input if it is not a terminal. Throws CommandError on
 * empty input or when the user cancels.
 */
export async function askSecret(question: string): Promise<string> {
  const secret = process.stdin.isTTY ? await typed(question) : firstLine(await text(process.stdin));
  if (secret === "") throw new CommandError("No input.");
  return secret;
}

/** For a new secret: a terminal asks twice, because the input is not shown. */
export async function askNewSecret(question: string, again: string): Promise<string> {
  const secret = await askSecret(question);
  if (process.stdin.isTTY && secret !== (await typed(again))) throw new CommandError("The two inputs do not match.");
  return secret;
}

export const firstLine = (content: string): string => content.split(/\r?\n/, 1)[0] ?? "";

const ENTER = new Set(["\r", "\n"]);
const GIVE_UP = new Set(["\u0003", "\u0004"]);
const BACKSPACE = new Set(["\u0008", "\u007f"]);
const CLEAR_LINE = "\u0015";

async function typed(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stdin.setEncoding("utf8");
  // Set before the prompt, so that an immediate answer is not echoed either.
  stdin.setRawMode(true);
  stdin.resume();
  stderr.write(`${question}: `);
  try {
    return await untilEnter();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

function untilEnter(): Promise<string> {
  return new Promise((resolve, reject) => {
    let characters: string[] = [];
    const onData = (chunk: string): void => {
      for (const character of chunk) {
        if (ENTER.has(character)) return end(() => resolve(characters.join("")));
        if (GIVE_UP.has(character)) return end(() => reject(new CommandError("Cancelled.", { status: 130 })));
        if (BACKSPACE.has(character)) characters.pop();
        else if (character === CLEAR_LINE) characters = [];
        else characters.push(character);
      }
    };
    const end = (settle: () => void): void => {
      process.stdin.off("data", onData);
      settle();
    };
    process.stdin.on("data", onData);
  });
}
