// Why an SSH log-in ended without an answer: the library's errors and a connection that just closes, in plain words.
import type { AuthenticationType } from "ssh2";
import type { Failure, HostKey } from "../connector.ts";
import { connectionFailure, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected } from "../finding.ts";
import type { LoginSecret } from "./login-secret.ts";
import type { Renewal } from "./password-prompts.ts";

/** What has happened so far. */
export interface LoginState {
  endpoint: Endpoint;
  username: string;
  secret: LoginSecret;
  /** The new password of somebody who came to change it. */
  renewal: Renewal | null;
  /** The key that the server showed, once it did. */
  hostKey: HostKey | null;
  /** The method by which the secret went out; null while it has not. */
  sentBy: AuthenticationType | null;
}

export function hostKeyChanged(endpoint: Endpoint, pinned: HostKey, shown: HostKey): Failure {
  return {
    outcome: "misconfigured",
    code: "host-key-changed",
    alarm: true,
    message:
      `ALARM: the host key of ${nameOf(endpoint)} has changed. Nothing was sent. Expected ${pinned.type} ${pinned.fingerprint}, ` +
      `got ${shown.type} ${shown.fingerprint}. Either the server was reinstalled, or somebody stands between: ask its administrator.`,
    facts: { hostKey: shown, pinnedHostKey: pinned },
  };
}

/** ssh2 marks its errors with a `level`; a server's DISCONNECT carries a number as its `code` (RFC 4253 §11.1). */
export function errorFailure(error: Error & { level?: string; code?: unknown }, state: LoginState): Failure {
  const target = nameOf(state.endpoint);
  if (error.level === "handshake" && /no matching/i.test(error.message)) {
    return misconfigured(
      "protocol-error",
      `${target} and this side have no SSH algorithm in common. The server may be very old.`,
    );
  }
  if (typeof error.code === "number") {
    return state.sentBy === null ? connectionFailure(error, state.endpoint) : cutOff(state);
  }
  const isLost = error.level === "client-socket" || /connection lost/i.test(error.message);
  if (isLost) return connectionFailure(error, state.endpoint);
  return misconfigured("protocol-error", `${target} does not speak SSH as it should. Is it the right port?`);
}

/** sshd ends the connection without a word when PAM's account rules refuse somebody who has proved who they are. */
export function closedFailure(state: LoginState): Failure {
  const { endpoint, username, sentBy } = state;
  if (sentBy === null) return connectionFailure(null, endpoint);
  return rejected(
    "account-expired",
    `${nameOf(endpoint)} closed the connection without a word after the secret was sent. OpenSSH does so when the account ${username} has expired or its rules bar it.`,
  );
}

/** With a limit of one attempt sshd says goodbye instead of asking again. */
function cutOff({ endpoint, username }: LoginState): Failure {
  return rejected(
    "wrong-password",
    `${nameOf(endpoint)} did not accept the secret for ${username} and ended the connection: it takes no further attempt.`,
  );
}
