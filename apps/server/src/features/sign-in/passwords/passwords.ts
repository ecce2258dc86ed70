// Hashes and verifies user passwords with argon2id (RFC 9106), a few at a time, at the same cost for known and unknown
// users.
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { refuse } from "#kernel/http/refuse.ts";
import { promisify } from "node:util";

const RETRY_AFTER_SECONDS = 5;

type Gate = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export interface HashParameters {
  memoryKiB: number;
  passes: number;
  lanes: number;
}

/** RFC 9106 §4, the second recommended option, with one lane: 64 MiB and about 0.16 s of one core. */
export const HASH_PARAMETERS: HashParameters = { memoryKiB: 65_536, passes: 3, lanes: 1 };

const SALT_BYTES = 16;
const TAG_BYTES = 32;
const AT_ONCE = 2;
const MOST_WAITING = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

export interface Passwords {
  /** Returns a PHC string. Throws 503 with Retry-After when too many calls are waiting. */
  hash(password: string, signal?: AbortSignal): Promise<string>;
  /** Without a stored hash, does the same work and returns false. Throws 503 as `hash` does. */
  verify(stored: string | null, password: string, signal?: AbortSignal): Promise<boolean>;
  /** Whether a stored hash was made with parameters that differ from those of a new hash. */
  isOutdated(stored: string): boolean;
}

export interface PasswordOptions {
  parameters?: HashParameters | undefined;
  atOnce?: number;
  mostWaiting?: number;
  /** Called each time a hash is computed. */
  onHash?: () => void;
}

export function createPasswords(options: PasswordOptions = {}): Passwords {
  const { parameters = HASH_PARAMETERS, atOnce = AT_ONCE, mostWaiting = MOST_WAITING, onHash } = options;
  const gate = createGate(atOnce, mostWaiting);
  // No known password has this tag: it is random, not the result of a hash.
  const decoyHash = encode({ parameters, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) });
  const run = (password: string, salt: Buffer, as: HashParameters, signal: AbortSignal | undefined) =>
    gate(() => {
      onHash?.();
      return deriveTag(password, salt, as);
    }, signal);
  return {
    async hash(password, signal) {
      const salt = randomBytes(SALT_BYTES);
      const tag = await run(password, salt, parameters, signal);
      return encode({ parameters, salt, tag });
    },
    async verify(stored, password, signal) {
      const expected = decode(stored ?? decoyHash);
      const tag = await run(password, expected.salt, expected.parameters, signal);
      return timingSafeEqual(tag, expected.tag);
    },
    isOutdated(stored) {
      const { memoryKiB, passes, lanes } = decode(stored).parameters;
      return memoryKiB !== parameters.memoryKiB || passes !== parameters.passes || lanes !== parameters.lanes;
    },
  };
}

interface Decoded {
  parameters: HashParameters;
  salt: Buffer;
  tag: Buffer;
}

/** Normalises the password, so that the same password typed on two keyboards matches (NIST SP 800-63B §3.1.1.2). */
const deriveTag = (password: string, salt: Buffer, { memoryKiB, passes, lanes }: HashParameters): Promise<Buffer> =>
  derive("argon2id", {
    message: Buffer.from(password.normalize("NFKC"), "utf8"),
    nonce: salt,
    memory: memoryKiB,
    passes,
    parallelism: lanes,
    tagLength: TAG_BYTES,
  });

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

function encode({ parameters, salt, tag }: Decoded): string {
  const { memoryKiB, passes, lanes } = parameters;
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Throws for a string that `encode` did not produce, such as a damaged row. */
function decode(stored: string): Decoded {
  const [, memory, passes, lanes, salt = "", tag = ""] = PHC.exec(stored) ?? [];
  const bytes = Buffer.from(tag, "base64");
  if (bytes.length !== TAG_BYTES) throw new Error("a stored password hash is malformed");
  return {
    parameters: { memoryKiB: Number(memory), passes: Number(passes), lanes: Number(lanes) },
    salt: Buffer.from(salt, "base64"),
    tag: bytes,
  };
}

/** Runs work in order of arrival. Throws 503 when the queue is full, and 408 for waiting work whose caller has disconnected. */
export function createGate(atOnce: number, mostWaiting: number): Gate {
  const waiting: (() => void)[] = [];
  let free = atOnce;

  return async (work, signal) => {
    if (free > 0) free -= 1;
    else if (waiting.length >= mostWaiting) throw busy();
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      if (signal?.aborted === true) throw refuse(408, "request.abandoned", "The client disconnected.");
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

const busy = () =>
  refuse(503, "sign-in.busy", "Too many people are signing in right now. Please try again in a moment.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
