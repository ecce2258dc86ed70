// Finds secrets in fixed phrases: calls of login functions, lines of network equipment, Redis users, JAAS.
import { candidateAt } from "./candidate.ts";
import type { Candidate, Line } from "./candidate.ts";
import { PHRASE_FORMS } from "./phrase-forms.ts";
import { escapePattern } from "./quoting.ts";
import { CONFIG_PHRASES, PHRASES, trigger } from "./triggers.ts";

const readers = PHRASE_FORMS.map(
  ({ needs, isConfig = false, pattern, flags = "g", syntax = 0.95, found = "password" }) => ({
    needs,
    isConfig,
    pattern: new RegExp(pattern, flags),
    syntax,
    found,
  }),
);
for (const { grams, isConfig = false } of PHRASE_FORMS) trigger(grams, isConfig ? CONFIG_PHRASES : PHRASES);
const readersOfCode = readers.filter(({ isConfig }) => !isConfig);
/** Most lines have no phrase, and one pass tells. */
const anyOf = (forms: typeof readers): RegExp =>
  new RegExp([...new Set(forms.flatMap(({ needs }) => needs))].map(escapePattern).join("|"));
const [anyNeeded, neededInCode] = [anyOf(readers), anyOf(readersOfCode)];

const DETECTORS = { password: "phrase", api_token: "header", password_hash: "password-hash" } as const;

export function readPhrases(line: Line): Candidate[] {
  const found: Candidate[] = [];
  const { text, format } = line;
  if (!(format === "code" ? neededInCode : anyNeeded).test(text)) return found;
  for (const { needs, pattern, syntax, found: asserted } of format === "code" ? readersOfCode : readers) {
    if (!needs.some((each) => text.includes(each))) continue;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const userName = match.groups?.["user"] ?? null;
      const raw = match.slice(1).findLast((group) => group !== undefined) ?? "";
      // In a call, equal arguments are rather names; `stats auth admin:admin` is a login.
      if (raw === "" || (raw === userName && format === "code") || userName === "anonymous") continue;
      const from = match.index + match[0].lastIndexOf(raw);
      found.push(
        candidateAt(line, DETECTORS[asserted], from, from + raw.length, {
          asserted,
          userName,
          isQuoted: true,
          syntax: format === "text" ? syntax * 0.75 : syntax,
        }),
      );
    }
  }
  return found;
}
