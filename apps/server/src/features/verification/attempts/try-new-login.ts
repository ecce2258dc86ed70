// Logs in with values that are not stored, under the same network policy, time limit and gate as a verification.
import type { Secret } from "@strongroom/keys";
import type { VerificationContext } from "../context.ts";
import { INTERNAL_ERROR, connectorOf, destinationOf, endedBy, resultOf, targetOf } from "../verification.ts";
import type { LoginRow, Result } from "../verification.ts";

const TIMEOUT_MS = 20_000;

export interface NewLogin {
  /** The user who waits for the result until `signal` aborts. */
  askedBy: string;
  /** Identifies the test in the gate. */
  id: string;
  signal: AbortSignal;
}

/** Always returns a result, except that the gate throws 429 when no slot becomes free. */
export async function tryNewLogin(
  { kernel, network, gate }: VerificationContext,
  row: LoginRow,
  secret: Secret,
  { askedBy, id, signal }: NewLogin,
): Promise<Result> {
  const host = destinationOf(row);
  const port = URL.parse(row.connection_string ?? "")?.port || row.port;
  const target = host === null ? null : `${host.toLowerCase()}:${port ?? ""}`;
  const login = async (): Promise<Result> => {
    try {
      const context = { timeoutMs: TIMEOUT_MS, signal, network, now: () => kernel.clock.now() };
      return resultOf(await connectorOf(row).verify(targetOf(row), secret, context));
    } catch (error) {
      kernel.log.error({ err: error, host }, "the test of a login failed with an error");
      return endedBy(INTERNAL_ERROR, "Strongroom could not run the test because of an internal error.");
    }
  };
  return gate({ personId: askedBy, credentialId: id, target, signal }, login);
}
