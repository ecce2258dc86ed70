// Telnet as a plain stream of characters (RFC 854, 855): answers and removes options, passes everything else.
import { Duplex } from "node:stream";

const IAC = 255;
const [WILL, WONT, DO, DONT, SB, SE] = [251, 252, 253, 254, 250, 240];
const NUL = 0;
const CR = 13;
/** The options that we accept: the server echoes (RFC 857), and neither side waits for a go-ahead (RFC 858). */
const [ECHO, SUPPRESS_GO_AHEAD] = [1, 3];
const THEIRS = new Set([ECHO, SUPPRESS_GO_AHEAD]);
const OURS = new Set([SUPPRESS_GO_AHEAD]);

/**
 * Reads and writes text over `wire`, which must be connected and is destroyed with this stream. Offers no options, and
 * answers one only when that changes something, so that two ends cannot answer each other forever (RFC 1143).
 */
export class TelnetStream extends Duplex {
  #wire: Duplex;
  /** The active options: `251:1` for "the server echoes". */
  #agreed = new Set<string>();
  #refused = new Set<string>();
  #state: "data" | "command" | "option" | "subnegotiation" | "subnegotiation-command" = "data";
  #verb = 0;
  #afterReturn = false;

  constructor(wire: Duplex) {
    super({ allowHalfOpen: false });
    this.#wire = wire;
    this.on("error", () => {});
    wire.on("data", (chunk: Buffer) => this.#receive(chunk));
    wire.on("end", () => this.push(null));
    wire.on("error", (error) => this.destroy(error));
    wire.on("close", () => this.destroy());
  }

  #receive(chunk: Buffer): void {
    const text: number[] = [];
    for (const byte of chunk) this.#take(byte, text);
    if (text.length > 0) this.push(Buffer.from(text));
  }

  #take(byte: number, text: number[]): void {
    switch (this.#state) {
      case "data":
        if (byte === IAC) this.#state = "command";
        // A carriage return without a newline is sent as CR NUL.
        else if (!(byte === NUL && this.#afterReturn)) text.push(byte);
        this.#afterReturn = byte === CR;
        return;
      case "command":
        this.#verb = byte;
        if (byte === IAC) text.push(IAC);
        if (byte >= WILL && byte <= DONT) this.#state = "option";
        else this.#state = byte === SB ? "subnegotiation" : "data";
        return;
      case "option":
        this.#state = "data";
        this.#answer(this.#verb, byte);
        return;
      case "subnegotiation":
        if (byte === IAC) this.#state = "subnegotiation-command";
        return;
      case "subnegotiation-command":
        this.#state = byte === SE ? "data" : "subnegotiation";
    }
  }

  #answer(verb: number, option: number): void {
    const isOffer = verb === WILL || verb === WONT;
    const key = `${isOffer ? WILL : DO}:${option}`;
    const [yes, no] = isOffer ? [DO, DONT] : [WILL, WONT];
    if (verb === WONT || verb === DONT) {
      if (this.#agreed.delete(key)) this.#wire.write(Buffer.from([IAC, no, option]));
      return;
    }
    if (this.#agreed.has(key)) return;
    if ((isOffer ? THEIRS : OURS).has(option)) {
      this.#agreed.add(key);
      this.#wire.write(Buffer.from([IAC, yes, option]));
    } else if (!this.#refused.has(key)) {
      this.#refused.add(key);
      this.#wire.write(Buffer.from([IAC, no, option]));
    }
  }

  override _read(): void {
    this.#wire.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const bytes = [...chunk].flatMap((byte) => (byte === IAC ? [IAC, IAC] : byte === CR ? [CR, NUL] : [byte]));
    this.#wire.write(Buffer.from(bytes), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wire.destroy();
    done(error);
  }
}
