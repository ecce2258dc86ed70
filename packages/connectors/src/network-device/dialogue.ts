// Follows the steps of a script on a console, one prompt at a time, and reads refusals.
import { isLine, type Turn } from "./console.ts";
import type { Script, Step } from "./script.ts";
import type { Session } from "./session.ts";

/** What stands for the placeholders, without their braces. */
export type Words = Readonly<Record<string, string>>;

type Refusal = Script["refusals"][number]["code"];

/** The turn after the last step; or how the device refused one; or that it showed another prompt. */
export type Followed = { turn: Turn } | { refusal: Refusal } | { lost: true };

/**
 * Each step waits for its own prompt, whole and standing still, `withinMs` at the longest. `before` hears of each line
 * before it is typed.
 */
export async function follow(
  { console, script }: Session,
  steps: readonly Step[],
  words: Words,
  { before = () => {}, withinMs }: { before?: (step: Step) => void; withinMs?: number } = {},
): Promise<Followed> {
  const known = [...new Set([...script.ready, ...script.password, ...steps.flatMap(({ expect }) => expect)])];
  let typed = "";
  for (const step of steps) {
    const turn = await console.expect([...step.expect, ...known], withinMs);
    const refusal = turn === null ? null : refusalIn(turn, typed, script);
    if (refusal !== null) return { refusal };
    const isHere = turn !== null && step.expect.some((each) => isLine(each, turn.prompt));
    if (!isHere && step.optional === true) continue;
    if (!isHere) return { lost: true };
    before(step);
    const isSecret = step.send === "{current}" || step.send === "{candidate}";
    typed = filled(step.send, words);
    console.send(typed, isSecret);
  }
  const next = script.save[0]?.expect ?? [];
  const turn = await console.expect([...next, ...known], withinMs);
  if (turn === null) return { lost: true };
  const refusal = refusalIn(turn, typed, script);
  return refusal === null ? { turn } : { refusal };
}

/** The device repeats what is typed: that line is none of its own. */
function refusalIn({ lines, prompt }: Turn, typed: string, { refusals }: Script): Refusal | null {
  const own = [...lines, prompt].filter((line) => typed === "" || !line.includes(typed));
  return refusals.find((each) => own.some((line) => isLine(each.line, line)))?.code ?? null;
}

/** In one pass: what stands for a placeholder is never read for another. */
function filled(send: string, words: Words): string {
  return send.replace(/\{([a-z0-9_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(words, name) ? words[name]! : whole,
  );
}
