// The Oracle releases that the fake can imitate, with the differences in their messages.

export interface Release {
  /** The server's version: a byte for the first part, one for the second. */
  version: number;
  /** The version of Oracle Net. */
  netVersion: number;
  /** The version of message fields. */
  fieldVersion: number;
  /** The whole login starts with one message, calls are numbered, and each answer has an end marker. */
  isFast: boolean;
}

export const RELEASES = {
  "19c": { version: (19 << 24) | (3 << 16), netVersion: 317, fieldVersion: 12, isFast: false },
  "23ai": { version: (23 << 24) | (4 << 16), netVersion: 319, fieldVersion: 24, isFast: true },
} as const satisfies Record<string, Release>;
