// What was typed: a text to look for, and what is to be done with what is found ("rotate web1", "request access to web1").
import type { SearchAction } from "@strongroom/contract";

export interface SearchWish {
  text: string;
  /** Null: just find it. */
  act: SearchAction | null;
}

const VERBS: readonly { act: SearchAction; pattern: RegExp }[] = [
  { act: "rotate", pattern: /^(?:rotate|change)(?: the)?(?: password)?(?: of)? +(.+)$/i },
  { act: "verify", pattern: /^(?:verify|validate)(?: the)?(?: password)?(?: of)? +(.+)$/i },
  { act: "request", pattern: /^(?:request|ask for)(?: access)?(?: to)? +(.+)$/i },
  { act: "copy", pattern: /^copy(?: the)?(?: password)?(?: of)? +(.+)$/i },
];

/** What follows a verb is part of what was typed, so whatever is called "Copy machine" is found too. */
export function readQuery(typed: string): SearchWish {
  const text = typed.trim();
  for (const { act, pattern } of VERBS) {
    const rest = pattern.exec(text)?.[1]?.trim();
    if (rest !== undefined && rest !== "") return { text: rest, act };
  }
  return { text, act: null };
}
