// An SSH connection that outlives the login, for sessions. It logs in exactly as a verification does.
import { Secret } from "@strongroom/keys";
import type { BaseAgent, Client, ParsedKey } from "ssh2";
import { inTime } from "../attempt.ts";
import { MAX_RECEIVED_BYTES } from "../bounded-stream.ts";
import type { Failure, HostKey, Target, VerifyContext } from "../connector.ts";
import { dial, nameOf } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { logIn } from "./login.ts";
import { loginSecret, type LoginSecret } from "./login-secret.ts";

export { fingerprintOf, issueUserCertificate, publicLineOf } from "./ssh-certificate.ts";
export { KEY_EXCHANGES, isSshNative, isSshPatched } from "./ssh-library.ts";
export { sshKeyOf } from "./ssh-key.ts";

/** Chosen so that a target that vanished is noticed within a minute. */
const KEEPALIVE_MS = 15_000;

export interface SshConnection {
  /** A logged-in client. It emits `close` when the connection ends, for any reason. */
  client: Client;
  hostKey: HostKey;
  /** Closes the socket immediately. */
  destroy(): void;
}

/** Logs in with a key that is made for this connection, such as one with a short-lived certificate. */
export interface KeyForConnection {
  /** `localAddress`: the address from which this process connects; null when the system does not say. */
  keyFor(localAddress: string | null): ParsedKey;
}

/**
 * The connection, or the reason for the failure. The time limit and the signal of `context` apply to the login only; afterwards
 * the caller closes the connection. INVARIANT: without a pinned host key nothing is sent.
 */
export function connectSsh(
  target: Target,
  secret: Secret | KeyForConnection,
  context: VerifyContext,
  agent: BaseAgent | null = null,
): Promise<({ connection: SshConnection } | { failure: Failure }) & { durationMs: number }> {
  return inTime<{ connection: SshConnection } | { failure: Failure }>(
    context,
    async (current) => {
      const { host, username } = target;
      if (!host) return { failure: misconfigured("bad-input", "The host is missing.") };
      if (!username) return { failure: misconfigured("bad-input", "The user name is missing.") };
      const pinned = target.knownHostKey ?? null;
      const endpoint = { host, port: target.port ?? 22 };
      if (pinned === null) {
        return {
          failure: misconfigured(
            "bad-input",
            `The host key of ${nameOf(endpoint)} is not known yet. Verify the account first.`,
          ),
        };
      }
      const isStored = secret instanceof Secret;
      const stored = isStored ? await loginSecret(secret.reveal(), target.type === "ssh", current.signal) : null;
      if (stored !== null && "failure" in stored) return stored;

      // The attempt aborts its signal when it ends. Only the connection must survive that.
      const abandoned = new AbortController();
      let isConnected = false;
      current.signal.addEventListener("abort", () => {
        if (!isConnected) abandoned.abort();
      });
      const dialled = await dial(endpoint, { ...current, signal: abandoned.signal }, MAX_RECEIVED_BYTES);
      if ("failure" in dialled) return dialled;
      const { stream } = dialled;
      current.waitFor(`${nameOf(endpoint)} to answer the SSH login`);
      const opened: LoginSecret = stored ?? {
        kind: "key",
        key: (secret as KeyForConnection).keyFor(stream.localAddress),
      };
      const login = await logIn(stream, { endpoint, username, secret: opened, pinned, keepalive: KEEPALIVE_MS, agent });
      if ("failure" in login) {
        stream.destroy();
        return login;
      }
      if (abandoned.signal.aborted) {
        return { failure: { outcome: "unreachable", code: "cancelled", message: "The login was cancelled." } };
      }
      isConnected = true;
      stream.liftLimit();
      const { client, hostKey } = login.loggedIn;
      return { connection: { client, hostKey, destroy: () => stream.destroy() } };
    },
    (failure) => ({ failure }),
  );
}
