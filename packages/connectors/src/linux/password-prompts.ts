// The prompts of passwd and PAM in their usual order, and the answer to each prompt.
/** The kind of prompt: `none`: not a prompt (yet); `other`: a prompt that is not about a password. */
export type Prompt = "current" | "new" | "retype" | "other" | "none";

/** Looks only at the last line, because a prompt does not end its line. The prompts are in English because LC_ALL=C requests that. */
export function promptIn(text: string): Prompt {
  const line = text.slice(text.lastIndexOf("\n") + 1).trimEnd();
  if (!/[:?>]$/.test(line)) return "none";
  if (!/pass(word|phrase|code)/i.test(line)) return "other";
  if (/\b(re-?type|re-?enter|again|confirm|verify|repeat)\b/i.test(line)) return "retype";
  if (/\bnew\b/i.test(line)) return "new";
  return /\b(current|old|existing|login)\b|^password:$/i.test(line) ? "current" : "other";
}

/** A new password that is being typed at prompts, and the progress so far. */
export interface Renewal {
  candidate: string;
  /** Called right before the first byte of the new password is sent. */
  sending: () => void;
  /** `asked-again`: the target refused the new password, and it was not entered again. */
  stage: "before" | "new" | "retyped" | "asked-again";
}

/** The answer to a prompt, or null when there is none and the dialogue is over. Updates `renewal.stage`. */
export function answerTo(prompt: Prompt, current: string, renewal: Renewal): string | null {
  if (prompt === "current" && renewal.stage === "before") return current;
  if (prompt === "new" && renewal.stage === "before") {
    renewal.sending();
    renewal.stage = "new";
    return renewal.candidate;
  }
  if (prompt === "retype" && renewal.stage === "new") {
    renewal.stage = "retyped";
    return renewal.candidate;
  }
  if (prompt === "new") renewal.stage = "asked-again";
  return null;
}
