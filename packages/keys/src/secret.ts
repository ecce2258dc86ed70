// The type of every plaintext secret: prints as `[secret]` and is read only through `reveal`.
import { inspect } from "node:util";

const PRINTED = "[secret]";

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A plaintext secret: some bytes that are often, not always, UTF-8 text.
 *
 * The bytes live in a private field, so serialisers, structured clone and deep equality see an empty object
 * (two different secrets are "deep equal": compare what they reveal). The creator may `dispose()` of it, or
 * declare it with `using`; that zeroes this copy. Strings handed in or revealed cannot be zeroed and stay in
 * memory until they are garbage collected.
 */
export class Secret {
  #bytes: Buffer | null;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Keeps `text` as UTF-8. Throws TypeError for a string with a lone surrogate: UTF-8 cannot carry it, and a
   * changed password is a lost password.
   */
  static fromText(text: string): Secret {
    if (!text.isWellFormed()) throw new TypeError("A secret must be well-formed Unicode text.");
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text, "utf8"));
    bytes.write(text, "utf8");
    return new Secret(bytes);
  }

  /** Keeps a copy; the caller stays responsible for its own array. */
  static fromBytes(bytes: Uint8Array): Secret {
    return new Secret(copyOf(bytes));
  }

  /** The secret as text, exactly as given. Throws TypeError when it is not UTF-8: use `revealBytes`. */
  reveal(): string {
    const bytes = this.#live();
    try {
      return strictUtf8.decode(bytes);
    } catch {
      throw new TypeError("This secret is not text.");
    }
  }

  /** A fresh copy of the secret's bytes, which the caller may zero. */
  revealBytes(): Buffer {
    return copyOf(this.#live());
  }

  /** Zeroes the bytes; every later `reveal` throws. Can be called again. */
  dispose(): void {
    this.#bytes?.fill(0);
    this.#bytes = null;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  toString(): string {
    return PRINTED;
  }

  toJSON(): string {
    return PRINTED;
  }

  [Symbol.toPrimitive](): string {
    return PRINTED;
  }

  [inspect.custom](): string {
    return PRINTED;
  }

  #live(): Buffer {
    if (this.#bytes === null) throw new Error("This secret has been disposed of.");
    return this.#bytes;
  }
}

/** Never from Node's shared pool: a view into it would expose its neighbours through `.buffer`. */
function copyOf(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
