// Explains in plain English why an SSH login ended without an answer: library errors and closed connections.
import type { AuthenticationType } from "ssh2";
import type { Failure, HostKey } from "../connector.ts";
import { connectionFailure, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected } from "../finding.ts";
import type { LoginSecret } from "./login-secret.ts";
import type { Renewal } from "./password-prompts.ts";

/** The progress of a login. */
export interface LoginState {
  endpoint: Endpoint;
  username: string;
  secret: LoginSecret;
  /** The new password, if the login is for a password change. */
  renewal: Renewal | null;
  /** The key that the server presented, or null before that. */
  hostKey: HostKey | null;
  /** The method that sent the secret; null before that. */
  sentBy: AuthenticationType | null;
}

export function hostKeyChanged(endpoint: Endpoint, pinned: HostKey, shown: HostKey): Failure {
  return {
    outcome: "misconfigured",
    code: "host-key-changed",
    alarm: true,
    message:
      `ALARM: the host key of ${nameOf(endpoint)} has changed. Nothing was sent. Expected ${pinned.type} ${pinned.fingerprint}, ` +
      `got ${shown.type} ${shown.fingerprint}. Either the server was reinstalled, or the connection is being intercepted: ask its administrator.`,
    facts: { hostKey: shown, pinnedHostKey: pinned },
  };
}

/** ssh2 marks its errors with a `level`; a server's DISCONNECT carries a number as its `code` (RFC 4253 §11.1). */
export function errorFailure(error: Error & { level?: string; code?: unknown }, state: LoginState): Failure {
  const target = nameOf(state.endpoint);
  if (error.level === "handshake" && /no matching/i.test(error.message)) {
    return misconfigured(
      "protocol-error",
      `${target} and Strongroom have no SSH algorithm in common. The server may be outdated.`,
    );
  }
  if (typeof error.code === "number") {
    return state.sentBy === null ? connectionFailure(error, state.endpoint) : cutOff(state);
  }
  const isLost = error.level === "client-socket" || /connection lost/i.test(error.message);
  if (isLost) return connectionFailure(error, state.endpoint);
  return misconfigured("protocol-error", `${target} sent an invalid SSH response. Check the port.`);
}

/** sshd closes the connection without a message when PAM's account rules refuse a user who has authenticated. */
export function closedFailure(state: LoginState): Failure {
  const { endpoint, username, sentBy } = state;
  if (sentBy === null) return connectionFailure(null, endpoint);
  return rejected(
    "account-expired",
    `${nameOf(endpoint)} closed the connection after the secret was sent. OpenSSH does this if the account ${username} has expired or is not allowed to log in.`,
  );
}

/** With a limit of one attempt, sshd disconnects instead of asking again. */
function cutOff({ endpoint, username }: LoginState): Failure {
  return rejected(
    "wrong-password",
    `${nameOf(endpoint)} did not accept the secret for ${username} and disconnected: it does not allow another attempt.`,
  );
}
