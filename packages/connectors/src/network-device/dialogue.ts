// Runs the steps of a script on a console, one prompt at a time, and detects refusals.
import { isLine, type ConsoleOutput } from "./console.ts";
import type { Script, Step } from "./presets.ts";
import type { Session } from "./session.ts";

/** The values of the placeholders, without their braces. */
export type Placeholders = Readonly<Record<string, string>>;

type Refusal = Script["refusals"][number]["code"];

/** The output after the last step, or the device's refusal, or an unexpected prompt. */
export type Followed = { output: ConsoleOutput } | { refusal: Refusal } | { lost: true };

/**
 * Each step waits for its own complete and unchanged prompt, for at most `withinMs`. `before` is called with each line
 * before it is typed.
 */
export async function follow(
  { console, script }: Session,
  steps: readonly Step[],
  words: Placeholders,
  { before = () => {}, withinMs }: { before?: (step: Step) => void; withinMs?: number } = {},
): Promise<Followed> {
  const known = [...new Set([...script.ready, ...script.password, ...steps.flatMap(({ expect }) => expect)])];
  let typed = "";
  for (const step of steps) {
    const output = await console.expect([...step.expect, ...known], withinMs);
    const refusal = output === null ? null : refusalIn(output, typed, script);
    if (refusal !== null) return { refusal };
    const isHere = output !== null && step.expect.some((each) => isLine(each, output.prompt));
    if (!isHere && step.optional === true) continue;
    if (!isHere) return { lost: true };
    before(step);
    const isSecret = step.send === "{current}" || step.send === "{candidate}";
    typed = filled(step.send, words);
    console.send(typed, isSecret);
  }
  const next = script.save[0]?.expect ?? [];
  const output = await console.expect([...next, ...known], withinMs);
  if (output === null) return { lost: true };
  const refusal = refusalIn(output, typed, script);
  return refusal === null ? { output } : { refusal };
}

/** The device echoes typed lines, which are not its own output. */
function refusalIn({ lines, prompt }: ConsoleOutput, typed: string, { refusals }: Script): Refusal | null {
  const own = [...lines, prompt].filter((line) => typed === "" || !line.includes(typed));
  return refusals.find((each) => own.some((line) => isLine(each.line, line)))?.code ?? null;
}

/** In one pass: a placeholder's value is never read as another placeholder. */
function filled(send: string, words: Placeholders): string {
  return send.replace(/\{([a-z0-9_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(words, name) ? words[name]! : whole,
  );
}
