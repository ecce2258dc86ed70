// The protocol of Redis (RESP 2): commands are sent as arrays of byte strings, so that no value can become another
// command.
import type { Duplex } from "node:stream";

/** An error is a reply like any other. Null means that the value does not exist. */
export type Reply = string | number | null | RedisError | Reply[];

/** The first word, such as `WRONGPASS`, is a code; the rest is for people and is never passed on. */
export class RedisError {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  get code(): string {
    return this.text.split(" ", 1)[0] ?? "";
  }
}

/** The data received is not RESP. */
export class NotRedis extends Error {}

/** Sends a command and resolves with its reply; rejects with `NotRedis`, or when the connection ends first. */
export type Ask = (...words: readonly string[]) => Promise<Reply>;

/** One command at a time. */
export function askOver(stream: Duplex): Ask {
  const read = replyReader();
  let waiting: PromiseWithResolvers<Reply> | null = null;
  const fail = (error: Error) => {
    waiting?.reject(error);
    waiting = null;
  };
  stream.on("data", (chunk: Buffer) => {
    try {
      for (const reply of read(chunk)) {
        waiting?.resolve(reply);
        waiting = null;
      }
    } catch (error) {
      fail(error instanceof Error ? error : new NotRedis("not a reply"));
    }
  });
  stream.on("error", fail);
  stream.on("close", () => fail(new Error("closed")));
  return (...words) => {
    waiting = Promise.withResolvers<Reply>();
    const { promise } = waiting;
    if (stream.destroyed) fail(new Error("closed"));
    else stream.write(encoded(words));
    return promise;
  };
}

function encoded(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join("")}`;
}

const MAX_DEPTH = 8;
/** The limit of a line and of a byte string: no reply used here is longer. */
const MAX_LENGTH = 65_536;

/** Returns a function that takes the data piece by piece and returns the complete replies. Throws `NotRedis`. */
export function replyReader(): (chunk: Buffer) => Reply[] {
  let rest: Buffer = Buffer.alloc(0);
  const open: { replies: Reply[]; missing: number }[] = [];

  /** Adds a part to the lists that wait for it; returns the reply once it is complete. */
  const place = (part: Reply): Reply[] => {
    let whole = part;
    for (let list = open.at(-1); list !== undefined; list = open.at(-1)) {
      list.replies.push(whole);
      list.missing -= 1;
      if (list.missing > 0) return [];
      whole = list.replies;
      open.pop();
    }
    return [whole];
  };
  const begin = (missing: number): Reply[] => {
    if (missing < 0) return place(null);
    if (missing === 0) return place([]);
    if (open.length >= MAX_DEPTH) throw new NotRedis("too deep");
    open.push({ replies: [], missing });
    return [];
  };

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const replies: Reply[] = [];
    for (let token = tokenOf(rest); token !== null; token = tokenOf(rest)) {
      rest = rest.subarray(token.end);
      replies.push(...("list" in token ? begin(token.list) : place(token.value)));
    }
    return replies;
  };
}

type Token = { end: number } & ({ value: string | number | null | RedisError } | { list: number });

/** The token at the start of `bytes`; null while it is incomplete. */
function tokenOf(bytes: Buffer): Token | null {
  if (bytes.length > 0 && !"+-:$*".includes(String.fromCharCode(bytes[0] ?? 0))) throw new NotRedis("not a reply");
  const lineEnd = bytes.subarray(0, MAX_LENGTH).indexOf("\r\n", 0, "latin1");
  if (lineEnd === -1 && bytes.length >= MAX_LENGTH) throw new NotRedis("too long");
  if (lineEnd === -1) return null;
  const line = bytes.toString("utf8", 1, lineEnd);
  const end = lineEnd + 2;
  switch (String.fromCharCode(bytes[0] ?? 0)) {
    case "+":
      return { value: line, end };
    case "-":
      return { value: new RedisError(line), end };
    case ":":
      return { value: numberOf(line), end };
    case "*":
      return { list: numberOf(line), end };
    default:
      return byteString(bytes, numberOf(line), end);
  }
}

function byteString(bytes: Buffer, length: number, at: number): Token | null {
  if (length < 0) return { value: null, end: at };
  if (length > MAX_LENGTH) throw new NotRedis("too long");
  const end = at + length + 2;
  return bytes.length < end ? null : { value: bytes.toString("utf8", at, at + length), end };
}

function numberOf(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new NotRedis("not a number");
  return Number(text);
}
