// The packets of Oracle Net (TNS): a client's connect; accept, refusal and markers as answers; and data in between.
import type { Duplex } from "node:stream";
import type { Release } from "./release.ts";

export const CONNECT = 1;
export const DATA = 6;
export const MARKER = 12;
const [ACCEPT, REFUSE, RESEND] = [2, 4, 11];
const HEADER_BYTES = 8;
const DATA_FLAGS_BYTES = 2;
const END_OF_FILE = 0x40;
const [BREAK, RESET] = [1, 2];
const SDU = 8192;
const NO_NATIVE_SERVICES = 0x04;
/** Flags of the accept: one message for the whole login, and answers with an end marker. */
const FAST = 0x1000_0000 + 0x0200_0000;
const END_OF_RESPONSE = 0x2000;

interface Packets {
  send(packet: Buffer): void;
  /** From the accept on, a packet's length takes four bytes. */
  enlarge(): void;
}

/** Calls back with each complete packet: its type, and the content after its header. */
export function packetsOf(wire: Duplex, take: (type: number, content: Buffer) => void): Packets {
  let buffered = Buffer.alloc(0);
  let isLarge = false;
  const lengthOf = (bytes: Buffer) => (isLarge ? bytes.readUInt32BE(0) : bytes.readUInt16BE(0));
  wire.on("data", (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= HEADER_BYTES && buffered.length >= lengthOf(buffered)) {
      const length = lengthOf(buffered);
      if (length < HEADER_BYTES) return void wire.destroy();
      const packet = buffered.subarray(0, length);
      buffered = buffered.subarray(length);
      take(packet[4] ?? 0, packet.subarray(HEADER_BYTES));
    }
  });
  const send = (packet: Buffer) => {
    if (isLarge) packet.writeUInt32BE(packet.length);
    else packet.writeUInt16BE(packet.length);
    wire.write(packet);
  };
  return { send, enlarge: () => (isLarge = true) };
}

function packet(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head[4] = type;
  return Buffer.concat([head, content]);
}

/** The connect data, or null if it does not fit into this packet and follows in a data packet. */
export function connectData(content: Buffer): string | null {
  const [length, offset] = [content.readUInt16BE(16), content.readUInt16BE(18) - HEADER_BYTES];
  return offset + length > content.length ? null : content.toString("latin1", offset, offset + length);
}

/** Sent by a listener that has started a server process: that process needs the connect again. */
export const resendPacket = () => packet(RESEND, Buffer.alloc(0));

export function acceptPacket({ netVersion, isFast }: Release): Buffer {
  const content = Buffer.alloc(37);
  content.writeUInt16BE(netVersion, 0);
  content.writeUInt16BE(1, 8);
  content[14] = NO_NATIVE_SERVICES;
  content[15] = NO_NATIVE_SERVICES;
  content.writeUInt32BE(SDU, 24);
  content.writeUInt32BE(SDU, 28);
  content.writeUInt32BE(isFast ? FAST : 0, 33);
  return packet(ACCEPT, content);
}

export function refusePacket(error: number): Buffer {
  const text = Buffer.from(`(DESCRIPTION=(TMP=)(VSNNUM=318963712)(ERR=${error})(ERROR_STACK=(ERROR=(CODE=${error}))))`);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(text.length, 2);
  return packet(REFUSE, Buffer.concat([head, text]));
}

export function dataPacket(content: Buffer, { isFast }: Release): Buffer {
  const flags = Buffer.alloc(DATA_FLAGS_BYTES);
  flags.writeUInt16BE(isFast ? END_OF_RESPONSE : 0);
  return packet(DATA, Buffer.concat([flags, content]));
}

/** The content of a data packet, or null when the client closes. */
export function dataIn(content: Buffer): Buffer | null {
  return content.readUInt16BE(0) & END_OF_FILE ? null : content.subarray(DATA_FLAGS_BYTES);
}

const marker = (kind: number) => packet(MARKER, Buffer.from([1, 0, kind]));

/** Before an error: interrupts the current call, and the client has to confirm a reset. */
export const interruption = () => [marker(BREAK), marker(RESET)];
export const isReset = (content: Buffer) => content[2] === RESET;
