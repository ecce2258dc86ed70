// A connection that a hostile target cannot abuse: it limits the bytes received and contains a reader's exceptions.
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { Duplex } from "node:stream";

/** More than any login needs: a greeting, key exchange, a certificate chain, a few rows. */
export const MAX_RECEIVED_BYTES = 256 * 1024;

/** The limit for a list of accounts. */
export const MAX_LISTED_BYTES = 32 * 1024 * 1024;

export class TooMuchData extends Error {
  constructor(maxBytes: number) {
    super(`The target sent more than ${maxBytes} bytes`);
  }
}

/** The size of a read from a socket. */
const READ_BYTES = 64 * 1024;
/**
 * By default, Node allocates a buffer of this size for each read. With many connections that receive small pieces, this
 * keeps the garbage collector busy. All connections can share one: libuv fills it and calls back immediately, except on Windows.
 */
const SHARED = Buffer.allocUnsafeSlow(READ_BYTES);
const readBuffer = () => (process.platform === "win32" ? Buffer.allocUnsafeSlow(READ_BYTES) : SHARED);

/** Opens a connection. The stream passes on what the socket receives, so do not read from the socket. */
export function connectBounded(
  options: TcpNetConnectOpts,
  maxReceivedBytes: number = MAX_RECEIVED_BYTES,
): { socket: Socket; stream: BoundedStream } {
  const callback = (length: number, bytes: Uint8Array) => stream.receive(Buffer.from(bytes.subarray(0, length)));
  const socket = connect({ ...options, onread: { buffer: readBuffer(), callback } });
  const stream = new BoundedStream(socket, maxReceivedBytes);
  return { socket, stream };
}

/**
 * Destroying this stream destroys the socket. Reading more than `maxReceivedBytes` destroys the stream with
 * `TooMuchData`.
 */
export class BoundedStream extends Duplex {
  #socket: Socket;
  #maxReceivedBytes: number;
  #received = 0;

  /** Called by `connectBounded`. */
  constructor(socket: Socket, maxReceivedBytes: number) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#maxReceivedBytes = maxReceivedBytes;
    socket.on("end", () => this.push(null));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
    // A reader may attach its own error listener; without one, an error must not end the process.
    this.on("error", () => {});
    containExceptions(this);
  }

  /** The local address of the connection; null when the system does not report it. */
  get localAddress(): string | null {
    return this.#socket.localAddress ?? null;
  }

  /** From now on, any number of bytes may be received: the login is over, and its reader limits what it keeps. */
  liftLimit(): void {
    this.#maxReceivedBytes = Infinity;
  }

  /** From now on, this many more bytes may be received: for the answer to one request. */
  expect(bytes: number): void {
    this.#maxReceivedBytes = this.#received + bytes;
  }

  /** Called by `connectBounded`. Returns whether the socket should read on. */
  receive(chunk: Buffer): boolean {
    this.#received += chunk.length;
    if (this.#received > this.#maxReceivedBytes) {
      this.destroy(new TooMuchData(this.#maxReceivedBytes));
      return false;
    }
    return this.push(chunk);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** Events caused by a target, through its bytes or by closing the connection. */
const BY_TARGET: ReadonlySet<string | symbol> = new Set(["data", "readable", "end", "error", "close"]);

/**
 * Turns an exception in a listener for a target's event into a stream error. Without it, one malformed packet or a
 * reset at the wrong moment would end the whole process.
 */
export function containExceptions(stream: Duplex): void {
  const emit = stream.emit.bind(stream);
  stream.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (!BY_TARGET.has(event)) return emit(event, ...args);
    try {
      return emit(event, ...args);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error("A listener threw"));
      return true;
    }
  };
}
