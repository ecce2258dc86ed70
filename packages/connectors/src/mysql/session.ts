// One connection of the mysql2 driver over our own stream and TLS, without the features that would leak the password.
import type { Duplex } from "node:stream";
import mysql, { type AuthPlugin, type Connection } from "mysql2";
import type { BoundedStream } from "../bounded-stream.ts";
import type { DatabaseAddress } from "../connection-string.ts";
import type { Failure } from "../connector.ts";
import { startTls, type Secured } from "../start-tls.ts";
import { mayCarryClearText, type TlsSettings } from "../tls-settings.ts";

/** The server asked for the password in a form that could be intercepted. The password was not sent. */
export class InsecurePassword extends Error {}

export interface Session {
  connection: Connection;
  /** The reason why TLS failed, if it did: the driver sees only a closed connection. */
  tlsFailure(): Promise<Failure | null>;
  /** The stream that the driver uses now: an encrypted one once TLS is up. */
  stream(): Duplex;
  /** The version in the server's greeting; empty before it arrives. */
  greeting(): string;
}

/** The parts of the driver's connection that its types omit. */
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
    // Otherwise a server could ask this machine for its files.
    flags: ["-LOCAL_FILES"],
    ...(tls.mode === "disable" ? {} : { ssl: {} }),
    ...(mayCarryClearText(tls) ? { enableCleartextPlugin: true } : { authPlugins: REFUSING_PLUGINS }),
  });
  // A failure after the answer does not matter, and must not crash the process.
  connection.on("error", () => {});
  let securing: Promise<Secured> | null = null;
  const driver = connection as unknown as DriverConnection;
  // The driver's own TLS cannot check a certificate for an IP address, and hides the reason for a failure.
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

/**
 * Both SHA-256 methods end by sending the whole password: inside TLS, or encrypted with any key that the server names.
 */
const REFUSING_PLUGINS: Record<string, AuthPlugin> = {
  sha256_password: () => refuse,
  caching_sha2_password: (metadata) => {
    const answer = mysql.authPlugins.caching_sha2_password({})(metadata);
    return (data) => (isFullAuthentication(data) ? refuse() : answer(data));
  },
};

/** The password is not in the server's cache, so the server asks for the whole password. */
function isFullAuthentication(data: Buffer): boolean {
  return data.length === 1 && data[0] === 4;
}

function refuse(): never {
  throw new InsecurePassword("full authentication");
}

/** The server also determines the types of these values, so no type is assumed. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
