// The UDP socket that net-snmp gets instead of its own: connected to the one allowed address, limited, and checking
// security levels.
import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";

/** More datagrams than discovery, a report, an answer and their repetitions. */
const MAX_DATAGRAMS = 20;

export interface AllowedSocket {
  /** The replacement for `node:dgram` in net-snmp. */
  module: { createSocket: () => unknown };
  /** The security flags of the last datagram read (RFC 3412 §6.4); 0 when it had none. */
  lastFlags(): number;
  /** Rejects when the operating system reports a closed port. */
  failed: Promise<never>;
  close(): void;
}

export async function allowedSocket(address: string, port: number): Promise<AllowedSocket> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  socket.on("error", (error) => failed.reject(error));
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.connect(port, address, () => resolve());
  });
  let flags = 0;
  let datagrams = 0;
  let isClosed = false;
  const close = () => {
    if (!isClosed) socket.close();
    isClosed = true;
  };
  return {
    module: {
      createSocket: () =>
        asDgramSocket(socket, close, (datagram) => ((flags = securityFlags(datagram)), ++datagrams <= MAX_DATAGRAMS)),
    },
    lastFlags: () => flags,
    failed: failed.promise,
    close,
  };
}

/**
 * The part of a socket that net-snmp uses. It passes the peer to each `send`, which a connected socket does not allow.
 */
function asDgramSocket(socket: Socket, close: () => void, isWelcome: (datagram: Buffer) => boolean) {
  return {
    send: (
      buffer: Buffer,
      offset: number,
      length: number,
      _port: number,
      _host: string,
      done: (error: Error | null) => void,
    ) => socket.send(buffer, offset, length, done),
    on: (event: string, listener: (...args: never[]) => void) => {
      if (event === "message") {
        socket.on("message", (datagram: Buffer) => {
          if (isWelcome(datagram)) (listener as (datagram: Buffer) => void)(datagram);
        });
      }
    },
    ref: () => {},
    unref: () => {},
    close,
  };
}

/** `msgFlags`: SEQUENCE { version, SEQUENCE { msgID, msgMaxSize, msgFlags, … }, … }, in BER with short and long lengths. */
export function securityFlags(datagram: Buffer): number {
  const outer = element(datagram, 0);
  const version = outer === null ? null : element(datagram, outer.start);
  const header = version === null ? null : element(datagram, version.end);
  const id = header === null ? null : element(datagram, header.start);
  const maxSize = id === null ? null : element(datagram, id.end);
  const flags = maxSize === null ? null : element(datagram, maxSize.end);
  return flags === null || flags.end - flags.start !== 1 ? 0 : (datagram[flags.start] ?? 0);
}

function element(bytes: Buffer, at: number): { start: number; end: number } | null {
  const first = bytes[at + 1];
  if (first === undefined) return null;
  const extra = first < 0x80 ? 0 : first & 0x7f;
  if (extra > 3 || at + 2 + extra > bytes.length) return null;
  const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra);
  const start = at + 2 + extra;
  return start + length > bytes.length ? null : { start, end: start + length };
}
