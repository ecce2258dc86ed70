// One connection of the mysql2 driver over a stream of ours, with TLS of ours, and without the ways in which it would give the password away.
import type { Duplex } from "node:stream";
import mysql, { type AuthPlugin, type Connection } from "mysql2";
import type { BoundedStream } from "../bounded-stream.ts";
import type { DatabaseAddress } from "../connection-string.ts";
import type { Failure } from "../connector.ts";
import { startTls, type Secured } from "../start-tls.ts";
import { mayCarryClearText, type TlsSettings } from "../tls-settings.ts";

/** The server asked for the password in a form that whoever listens or stands between could read. It was not sent. */
export class InsecurePassword extends Error {}

export interface Session {
  connection: Connection;
  /** Why TLS failed, when it did: the driver only sees a connection that closed. */
  tlsFailure(): Promise<Failure | null>;
  /** The stream that the driver uses now: an encrypted one once TLS is up. */
  stream(): Duplex;
  /** The version in the server's greeting; empty before it came. */
  greeting(): string;
}

/** The parts of the driver's connection that its types leave out. */
interface DriverConnection {
  stream: Duplex;
  packetParser: { execute(data: Buffer): void };
  startTLS(onSecure: (error?: Error) => void): void;
  _handshakePacket?: { serverVersion?: unknown };
}

export function openSession(
  stream: BoundedStream,
  address: DatabaseAddress,
  password: string,
  tls: TlsSettings,
): Session {
  const connection = mysql.createConnection({
    stream,
    host: address.host,
    port: address.port,
    user: address.username,
    password,
    // The attempt has its own deadline.
    connectTimeout: 0,
    // A server could otherwise ask this machine for its files.
    flags: ["-LOCAL_FILES"],
    ...(tls.mode === "disable" ? {} : { ssl: {} }),
    ...(mayCarryClearText(tls) ? { enableCleartextPlugin: true } : { authPlugins: REFUSING_PLUGINS }),
  });
  // What fails after the answer is of no interest, and must not end the process.
  connection.on("error", () => {});
  let securing: Promise<Secured> | null = null;
  const driver = connection as unknown as DriverConnection;
  // The driver's own TLS cannot check a certificate for an IP address and hides why it failed.
  driver.startTLS = (onSecure) => {
    stream.removeAllListeners("data");
    securing = startTls(stream, tls, address);
    void securing.then((secured) => {
      if ("failure" in secured) {
        onSecure(new Error("TLS failed"));
        return;
      }
      driver.stream = secured.stream;
      secured.stream.on("data", (data: Buffer) => driver.packetParser.execute(data));
      onSecure();
    });
  };
  const tlsFailure = async () => {
    const secured = await securing;
    return secured !== null && "failure" in secured ? secured.failure : null;
  };
  const greeting = () => textOf(driver._handshakePacket?.serverVersion);
  return { connection, tlsFailure, stream: () => driver.stream, greeting };
}

/** Both SHA-256 methods end by sending the whole password: inside TLS, or encrypted for whatever key the other side names. */
const REFUSING_PLUGINS: Record<string, AuthPlugin> = {
  sha256_password: () => refuse,
  caching_sha2_password: (metadata) => {
    const answer = mysql.authPlugins.caching_sha2_password({})(metadata);
    return (data) => (isFullAuthentication(data) ? refuse() : answer(data));
  },
};

/** The server's cache does not hold the password, so it asks for all of it. */
function isFullAuthentication(data: Buffer): boolean {
  return data.length === 1 && data[0] === 4;
}

function refuse(): never {
  throw new InsecurePassword("full authentication");
}

/** Whoever answers chooses the types as well. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
