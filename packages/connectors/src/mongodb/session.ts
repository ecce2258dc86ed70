// One login to one MongoDB server by SCRAM, over our own connection.
import type { Attempt } from "../attempt.ts";
import { databaseAddress, type DatabaseAddress } from "../connection-string.ts";
import type { Failure, Target } from "../connector.ts";
import { connectionFailure, dial, nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import { startTls } from "../start-tls.ts";
import { tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { logInByScram } from "./scram.ts";
import { NotMongodb, ServerError, wireOver, type Doc } from "./wire.ts";

export interface Session {
  address: DatabaseAddress;
  authSource: string;
  tls: TlsSettings;
  /** Runs a command on the user's database. */
  run(command: Doc): Promise<Doc>;
  /** Runs a command that reads from another database, even on a secondary of a replica set. */
  readFrom(database: string, command: Doc): Promise<Doc>;
  /** From now on this many more bytes may be received. */
  expect(bytes: number): void;
  close(): void;
}

/** Logged in: the server has proved by SCRAM that it knows the password too. */
export async function openSession(
  target: Target,
  credentials: { username: string | null; password: string },
  attempt: Attempt,
  maxReceivedBytes?: number,
): Promise<Session | { failure: Failure }> {
  const { password } = credentials;
  const address = databaseAddress({ ...target, username: credentials.username }, ["mongodb"], 27017);
  if ("failure" in address) return address;
  const authSource = authSourceOf(target);
  if (authSource === null) return refuse('The additional parameter "auth_source" must be the name of a database.');
  const tls = tlsSettings(target, address.tlsMode);
  if ("failure" in tls) return tls;
  if (password === "") return refuse("The password is empty.");
  if (`${password}${address.username}`.includes("\0"))
    return refuse("MongoDB does not allow a NUL character in a name or password.");

  const dialled = await dial(address, attempt, maxReceivedBytes);
  if ("failure" in dialled) return dialled;
  attempt.waitFor(`${nameOf(address)} to answer the MongoDB login`);
  const close = () => dialled.stream.destroy();
  try {
    const secured = tls.mode === "disable" ? dialled : await startTls(dialled.stream, tls, address);
    if ("failure" in secured) return secured;
    const ask = wireOver(secured.stream);
    await ask({ hello: 1, $db: "admin", client: CLIENT });
    await logInByScram(ask, { username: address.username, password, authSource });
    return {
      address,
      authSource,
      tls,
      close,
      run: (command) => ask({ ...command, $db: authSource }),
      readFrom: (database, command) => ask({ ...command, $db: database, $readPreference: ANY_MEMBER }),
      expect: (bytes) => dialled.stream.expect(bytes),
    };
  } catch (error) {
    close();
    return { failure: loginFailure(error, address) };
  }
}

const ANY_MEMBER = { mode: "primaryPreferred" };

const CLIENT = {
  application: { name: "strongroom" },
  driver: { name: "strongroom", version: "1" },
  os: { type: "unknown" },
};

/** Uses the error code of the server or of the connection, never the text. */
export function loginFailure(error: unknown, address: DatabaseAddress): Failure {
  const target = nameOf(address);
  if (error instanceof NotMongodb)
    return misconfigured(
      "protocol-error",
      `${target} sent an invalid MongoDB response, or could not prove that it knows the password. Check the port.`,
    );
  if (!(error instanceof ServerError)) return connectionFailure(error, address);
  switch (error.code) {
    case 11:
    case 18:
      return rejected(
        "wrong-password",
        `${target} did not accept the password for ${address.username}. Possible causes: wrong password, unknown user, or another database (auth_source).`,
      );
    case 13:
      return rejected("no-permission", `${target} does not give ${address.username} permission for this.`);
    case 59:
    case 334:
      return misconfigured(
        "method-not-offered",
        `${target} does not support SCRAM-SHA-256, or is older than MongoDB 4.4.`,
      );
    default:
      return unreachable("server-error", `${target} could not answer the login (error ${error.code}).`);
  }
}

function authSourceOf({ additionalParams, connectionString }: Target): string | null {
  const { auth_source = null } = additionalParams;
  const url = connectionString === null ? null : URL.parse(connectionString);
  const name = auth_source ?? url?.searchParams.get("authSource") ?? "admin";
  return typeof name === "string" && /^[^\0/\\. "$*<>:|?]{1,63}$/.test(name) ? name : null;
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
