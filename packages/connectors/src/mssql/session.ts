// One connection of the tedious driver over our own stream, encrypted before the password is sent.
import { Connection, Request } from "tedious";
import type { Attempt } from "../attempt.ts";
import { databaseAddress, type DatabaseAddress } from "../connection-string.ts";
import type { Failure, Target } from "../connector.ts";
import { codeOf, dial, nameOf } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { loginFailure } from "./login-failure.ts";
import { isAcceptedText } from "./statements.ts";

/** The server rejected a statement with these error numbers. */
export class ServerError extends Error {
  numbers: readonly number[];
  constructor(numbers: readonly number[]) {
    super(`SQL Server answered with error ${numbers.join(", ")}`);
    this.numbers = numbers;
  }
}

/** The number that Microsoft's own clients use for a statement that took too long. */
export const TIMED_OUT = -2;

export type Row = Readonly<Record<string, string | null>>;

export interface Session {
  address: DatabaseAddress;
  /**
   * Rejects with `ServerError` or the connection's error. Neither contains the statement. With `timeoutMs`, a statement that
   * takes longer is cancelled, as error `TIMED_OUT`; later ones work.
   */
  run(statement: string, timeoutMs?: number): Promise<Row[]>;
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
  const place = placeOf(target, credentials);
  if ("failure" in place) return place;
  const { address } = place;
  const dialled = await dial(address, attempt, maxReceivedBytes);
  if ("failure" in dialled) return dialled;
  const { stream } = dialled;
  attempt.waitFor(`${nameOf(address)} to answer the SQL Server login`);

  let dials = 0;
  // A redirecting server would choose where the password goes: it gets no second connection.
  const connector = async () => {
    dials += 1;
    if (dials > 1) throw new Error("redirected");
    return asSocket(stream);
  };
  const connection = connectionTo(
    place,
    credentials.password,
    Math.max(1, Math.ceil(attempt.remainingMs())),
    connector,
  );
  const numbers: number[] = [];
  connection.on("errorMessage", ({ number }: { number: number }) => numbers.push(number));
  connection.on("error", () => {});
  const close = () => {
    connection.close();
    stream.destroy();
  };
  const error = await connected(connection);
  if (error === null) {
    const limits = { expect: (bytes: number) => stream.expect(bytes), lost: () => stream.errored };
    return { address, close, ...limits, run: (statement, timeoutMs) => run(connection, statement, timeoutMs) };
  }
  close();
  if (dials === 1) return { failure: loginFailure(error, stream.errored, numbers, address) };
  const elsewhere = `${nameOf(address)} redirects to another server. The password was not sent there: enter that server as the host.`;
  return refuse("redirected", elsewhere);
}

interface Place {
  address: DatabaseAddress;
  tls: TlsSettings;
}

function placeOf(
  target: Target,
  { username, password }: { username: string | null; password: string },
): Place | { failure: Failure } {
  const address = databaseAddress({ ...target, username }, ["mssql", "sqlserver"], 1433);
  if ("failure" in address) return address;
  const tls = tlsSettings(target, address.tlsMode);
  if ("failure" in tls) return tls;
  if (!isAcceptedText(address.username) || !isAcceptedText(password))
    return refuse("bad-input", "SQL Server names and passwords must have 1 to 128 characters and no NUL character.");
  if (tls.mode === "verify-full") return { address, tls };
  return refuse(
    "insecure-authentication",
    "SQL Server receives the password unencrypted, so it needs TLS with a verified certificate (sslmode verify-full). The password was not sent.",
  );
}

/** INVARIANT: `encrypt` makes the driver give up on a server without TLS, instead of logging in unencrypted. */
function connectionTo(
  { address, tls }: Place,
  password: string,
  patienceMs: number,
  connector: () => Promise<never>,
): Connection {
  return new Connection({
    server: address.host,
    authentication: { type: "default", options: { userName: address.username, password } },
    options: {
      port: address.port,
      database: address.database ?? undefined,
      encrypt: true,
      trustServerCertificate: false,
      serverName: tls.name ?? address.host.replace(/^\[(.*)\]$/, "$1"),
      cryptoCredentialsDetails: tls.ca === null ? {} : { ca: tls.ca },
      appName: "strongroom",
      connectTimeout: patienceMs,
      requestTimeout: patienceMs,
      cancelTimeout: 1_000,
      maxRetriesOnTransientErrors: 0,
      connector,
    },
  });
}

function connected(connection: Connection): Promise<Error | null> {
  return new Promise((resolve) => {
    connection.on("end", () => resolve(new Error("ended")));
    connection.connect((error) => resolve(error ?? null));
  });
}

/** INVARIANT: a statement may contain a password: no error contains it, whatever the server or the driver report. */
function run(connection: Connection, statement: string, timeoutMs?: number): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const numbers: number[] = [];
    const rows: Row[] = [];
    const hear = ({ number }: { number: number }) => numbers.push(number);
    const end = () => reject(new Error("the connection ended"));
    connection.on("errorMessage", hear);
    connection.on("end", end);
    const request = new Request(statement, (error) => {
      connection.removeListener("errorMessage", hear);
      connection.removeListener("end", end);
      if (error === null || error === undefined) resolve(rows);
      else if (timeoutMs !== undefined && codeOf(error) === "ETIMEOUT") reject(new ServerError([TIMED_OUT]));
      else reject(numbers.length > 0 ? new ServerError(numbers) : new Error("the connection ended"));
    });
    request.on("row", (columns: { metadata: { colName: string }; value: unknown }[]) => {
      const cells = columns.map(({ metadata, value }) => [metadata.colName, typeof value === "string" ? value : null]);
      rows.push(Object.fromEntries(cells) as Row);
    });
    if (timeoutMs !== undefined) request.setTimeout(timeoutMs);
    connection.execSqlBatch(request);
  });
}

/** The driver sets two options that a stream does not have; it uses nothing else of `net.Socket`. */
function asSocket(stream: object): never {
  return Object.assign(stream, { setNoDelay: () => stream, setKeepAlive: () => stream }) as never;
}

function refuse(code: "bad-input" | "insecure-authentication" | "redirected", message: string): { failure: Failure } {
  return { failure: misconfigured(code, message) };
}
