// The first bytes of protocols, and how to recognise their answers.
import type { FoundServiceProtocol } from "@strongroom/contract";

interface Greeting {
  protocol: FoundServiceProtocol;
  /** Tried first at these ports. */
  ports: readonly number[];
  /** Whether it is also tried at other ports. */
  isCommon: boolean;
  greeting: Buffer;
  isAnswer: (answer: Buffer) => boolean;
}

/** The protocol of a server that speaks first, or null. */
export function protocolOfBanner(banner: Buffer): FoundServiceProtocol | null {
  if (banner.subarray(0, 4).toString("latin1") === "SSH-") return "ssh";
  // A packet with a 3-byte length and number 0: protocol version 10, or an error such as "host is not allowed".
  const isPacket = banner.length > 5 && banner[3] === 0 && banner.readUIntLE(0, 3) < 1024;
  return isPacket && (banner[4] === 10 || banner[4] === 0xff) ? "mysql" : null;
}

/** SSLRequest (PostgreSQL §55.7). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** A search of the root DSE for two attributes (RFC 4511 §4.5.1, RFC 4512 §5.1). */
const ROOT_DSE = Buffer.from(
  "3047020101634204000a01000a0100020101020103010100870b6f626a656374436c6173733022041464656661756c744e616d696e67436f6e74657874040a76656e646f724e616d65",
  "hex",
);

/** PRELOGIN with a version and no encryption (MS-TDS §2.2.6.5). */
const PRELOGIN = Buffer.from("1201001a0000000000000b00060100110001ff00000000000002", "hex");

/** A connection request that offers TLS and CredSSP (MS-RDPBCGR §2.2.1.1). */
const RDP_REQUEST = Buffer.from("030000130ee000000000000100080003000000", "hex");

/** `hello` in OP_MSG (MongoDB wire protocol). */
const HELLO = (() => {
  const document = Buffer.from("1f0000001068656c6c6f000100000002246462000600000061646d696e0000", "hex");
  const message = Buffer.alloc(21 + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(1, 4);
  message.writeInt32LE(2013, 12);
  document.copy(message, 21);
  return message;
})();

const startsWith = (answer: Buffer, ...texts: string[]): boolean =>
  texts.some((text) => answer.subarray(0, text.length).toString("latin1") === text);

export const GREETINGS: readonly Greeting[] = [
  {
    protocol: "postgresql",
    ports: [5432, 5433, 6432],
    isCommon: true,
    greeting: SSL_REQUEST,
    isAnswer: (answer) => answer.length === 1 && startsWith(answer, "S", "N"),
  },
  {
    protocol: "http",
    ports: [80, 5985, 8080],
    isCommon: true,
    greeting: Buffer.from("GET / HTTP/1.0\r\n\r\n"),
    isAnswer: (answer) => startsWith(answer, "HTTP/"),
  },
  {
    protocol: "redis",
    ports: [6379],
    isCommon: true,
    greeting: Buffer.from("PING\r\n"),
    isAnswer: (answer) => startsWith(answer, "+PONG", "-NOAUTH", "-DENIED", "-ERR"),
  },
  {
    protocol: "ldap",
    ports: [389, 3268],
    isCommon: false,
    greeting: ROOT_DSE,
    // An LDAP message with number 1, or an unsolicited notice with number 0.
    isAnswer: (answer) =>
      answer[0] === 0x30 && (answer.includes(Buffer.from([2, 1, 1])) || answer.includes(Buffer.from([2, 1, 0]))),
  },
  {
    protocol: "mssql",
    ports: [1433],
    isCommon: false,
    greeting: PRELOGIN,
    isAnswer: (answer) => answer[0] === 0x04 && answer[1] === 0x01,
  },
  {
    protocol: "rdp",
    ports: [3389],
    isCommon: false,
    greeting: RDP_REQUEST,
    isAnswer: (answer) => answer[0] === 0x03 && answer[1] === 0x00 && answer[5] === 0xd0,
  },
  {
    protocol: "mongodb",
    ports: [27017],
    isCommon: false,
    greeting: HELLO,
    isAnswer: (answer) => answer.length > 16 && answer.readInt32LE(12) === 2013,
  },
];
