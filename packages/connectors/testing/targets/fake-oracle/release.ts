// The generations of Oracle that the double can be, as far as their messages differ.

export interface Release {
  /** As a server writes its version: a byte for the first part, one for the second. */
  version: number;
  /** Of Oracle Net. */
  netVersion: number;
  /** Of the fields of messages. */
  fieldVersion: number;
  /** The whole log-in begins with one message, calls are numbered, and the end of each answer is marked. */
  isFast: boolean;
}

export const RELEASES = {
  "19c": { version: (19 << 24) | (3 << 16), netVersion: 317, fieldVersion: 12, isFast: false },
  "23ai": { version: (23 << 24) | (4 << 16), netVersion: 319, fieldVersion: 24, isFast: true },
} as const satisfies Record<string, Release>;
