// Parses the typed text into a search text and an optional action ("rotate web1", "request access to web1").
import type { SearchAction } from "@strongroom/contract";

export interface ParsedQuery {
  text: string;
  /** Null when the text names no action. */
  act: SearchAction | null;
}

const VERBS: readonly { act: SearchAction; pattern: RegExp }[] = [
  { act: "rotate", pattern: /^(?:rotate|change)(?: the)?(?: password)?(?: of)? +(.+)$/i },
  { act: "verify", pattern: /^(?:verify|validate)(?: the)?(?: password)?(?: of)? +(.+)$/i },
  { act: "request", pattern: /^(?:request|ask for)(?: access)?(?: to)? +(.+)$/i },
  { act: "connect", pattern: /^(?:connect|ssh)(?: to)? +(.+)$/i },
  { act: "copy", pattern: /^copy(?: the)?(?: password)?(?: of)? +(.+)$/i },
];

/** A name that starts with a verb is still found: "Copy machine" searches for "machine". */
export function readQuery(typed: string): ParsedQuery {
  const text = typed.trim();
  for (const { act, pattern } of VERBS) {
    const rest = pattern.exec(text)?.[1]?.trim();
    if (rest !== undefined && rest !== "") return { text: rest, act };
  }
  return { text, act: null };
}
