// What the proxies over HTTPS and SSH have in common: the token of the requests, the limit of bytes and the last failure.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Failure } from "../connector.ts";

export class ProxyState {
  readonly token = randomBytes(32).toString("hex");
  #left: number;
  #failure: Failure | "bytes" | null = null;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  isToken(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.token.length && timingSafeEqual(bytes, Buffer.from(this.token));
  }

  fail(failure: Failure): void {
    this.#failure = failure;
  }

  /** Keeps an earlier failure, which explains this one. */
  failUnlessFailed(failure: Failure): void {
    this.#failure ??= failure;
  }

  takeFailure(): Failure | "bytes" | null {
    const taken = this.#failure;
    this.#failure = null;
    return taken;
  }

  /** Passes on what is within the limit of all answers. Throws at the limit. */
  count(part: Buffer): Buffer {
    this.#left -= part.length;
    if (this.#left >= 0) return part;
    this.#failure = "bytes";
    throw new Error("more bytes than allowed");
  }
}
