// One connection of the thin driver through the relay, over our own TLS if the entry asks for it.
import oracledb from "oracledb";
import type { Attempt } from "../attempt.ts";
import { databaseAddress, type DatabaseAddress } from "../connection-string.ts";
import type { Failure, Target } from "../connector.ts";
import { connectionFailure, dial, nameOf } from "../dial.ts";
import { misconfigured, unreachable } from "../finding.ts";
import { startTls } from "../start-tls.ts";
import { tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { loginFailure, numberOf } from "./failures.ts";
import { relayTo } from "./relay.ts";
import { isName, isPassword, isService, loginName } from "./statements.ts";

export interface Session {
  address: DatabaseAddress;
  tls: TlsSettings;
  connection: oracledb.Connection;
  /** From now on this many more bytes may be received. */
  expect(bytes: number): void;
  /** The error that ended the connection, if any. */
  lost(): Error | null;
  close(): void;
}

export async function openSession(
  target: Target,
  credentials: { username: string | null; password: string },
  attempt: Attempt,
  maxReceivedBytes?: number,
): Promise<Session | { failure: Failure }> {
  const address = databaseAddress(
    { ...target, username: credentials.username },
    ["oracle"],
    target.sslEnabled ? 2484 : 1521,
  );
  if ("failure" in address) return address;
  const tls = tlsSettings(target, address.tlsMode);
  if ("failure" in tls) return tls;
  const service = address.database ?? "";
  if (!isService(service))
    return refuse("The database name must be the name of a service, such as orclpdb1.example.com.");
  if (!isName(address.username) || !isPassword(credentials.password))
    return refuse("Oracle names and passwords must not be empty or contain quotation marks or control characters.");

  const dialled = await dial(address, attempt, maxReceivedBytes);
  if ("failure" in dialled) return dialled;
  attempt.waitFor(`${nameOf(address)} to answer the Oracle login`);
  const secured = tls.mode === "disable" ? dialled : await startTls(dialled.stream, tls, address);
  if ("failure" in secured) return secured;
  const relay = await relayTo(secured.stream);
  const patience = Math.max(1, Math.ceil(attempt.remainingMs() / 1000));
  try {
    const connection = await oracledb.getConnection({
      user: loginName(address.username),
      password: credentials.password,
      connectString: descriptor(relay.port, service, patience),
    });
    const { stream } = dialled;
    const limits = { expect: (bytes: number) => stream.expect(bytes), lost: () => stream.errored };
    return { address, tls, connection, ...limits, close: () => relay.close() };
  } catch (error) {
    relay.close();
    if (relay.wasRedirected())
      return {
        failure: misconfigured(
          "redirected",
          `${nameOf(address)} redirects to another server. Nothing was sent there: enter that server as the host.`,
        ),
      };
    return { failure: failureOf(error, dialled.stream.errored, dialled.stream.readableEnded, address) };
  }
}

/** One attempt at one address, whatever the service. */
function descriptor(port: number, service: string, patience: number): string {
  const limits = `(CONNECT_TIMEOUT=${patience})(TRANSPORT_CONNECT_TIMEOUT=${patience})(RETRY_COUNT=0)`;
  const place = `(ADDRESS=(PROTOCOL=TCP)(HOST=127.0.0.1)(PORT=${port}))`;
  return `(DESCRIPTION=${limits}${place}(CONNECT_DATA=(SERVICE_NAME=${service})))`;
}

function failureOf(error: unknown, streamError: Error | null, isEnded: boolean, address: DatabaseAddress): Failure {
  const number = numberOf(error);
  const knownFailure = loginFailure(number, address);
  if (knownFailure !== null) return knownFailure;
  if (number !== null && number > 0)
    return unreachable(
      "server-error",
      `${nameOf(address)} could not answer the login (ORA-${String(number).padStart(5, "0")}).`,
    );
  if (streamError !== null || isEnded) return connectionFailure(streamError, address);
  return misconfigured("protocol-error", `${nameOf(address)} sent an invalid Oracle response. Check the port.`);
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
