// A fixed phrase that gives a secret by position.

/** The last group of the pattern that matches is the secret; a group `user` names its user. */
export interface Phrase {
  /** Four characters, at least one group of which every line with the phrase has. */
  grams: readonly string[];
  /** Not in programming languages. */
  isConfig?: boolean;
  /** A line without any of these is not read. */
  needs: readonly string[];
  pattern: string;
  flags?: string;
  syntax?: number;
  found?: "password" | "api_token" | "password_hash";
}
