// One SSH login: checks the host key first, then offers the secret exactly once.
import { Client, type AnyAuthMethod, type AuthenticationType, type BaseAgent, type Prompt } from "ssh2";
import type { BoundedStream } from "../bounded-stream.ts";
import type { Failure, HostKey } from "../connector.ts";
import { nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected } from "../finding.ts";
import { algorithmsFor, hostKeyOf, isSameKey } from "./host-key.ts";
import { closedFailure, errorFailure, hostKeyChanged, type LoginState } from "./login-failure.ts";
import type { LoginSecret } from "./login-secret.ts";
import { answerTo, promptIn, type Renewal } from "./password-prompts.ts";

export interface LoginRequest {
  endpoint: Endpoint;
  username: string;
  secret: LoginSecret;
  pinned: HostKey | null;
  /** When null, a server's request for a new password is not answered. */
  renewal?: Renewal | null;
  /**
   * The interval, in milliseconds, at which the server is asked whether it is still there. The connection ends after three unanswered
   * requests.
   */
  keepalive?: number;
  /** The agent that the server may use after the login. It takes no part in the login. */
  agent?: BaseAgent | null;
}

export interface LoggedIn {
  client: Client;
  hostKey: HostKey;
  /** The method that carried the secret. */
  method: AuthenticationType;
}

/**
 * INVARIANT: nothing is sent to a host whose key is not the pinned one.
 *
 * The secret is sent once, by one method: a second attempt would count towards the account's lockout. Only prompts for
 * the current password are answered.
 */
export function logIn(
  stream: BoundedStream,
  request: LoginRequest,
): Promise<{ loggedIn: LoggedIn } | { failure: Failure }> {
  const { endpoint, username, secret, pinned, renewal = null } = request;
  const { promise, resolve } = Promise.withResolvers<{ loggedIn: LoggedIn } | { failure: Failure }>();
  const client = new Client();
  const state: LoginState = { endpoint, username, secret, renewal, hostKey: null, sentBy: null };
  const give = (failure: Failure) => {
    resolve({ failure });
    stream.destroy();
  };

  client.on("ready", () => {
    if (state.sentBy === null || state.hostKey === null) {
      give(
        misconfigured(
          "password-not-checked",
          `${nameOf(endpoint)} lets ${username} in without authentication, so the stored secret was not verified.`,
        ),
      );
      return;
    }
    resolve({ loggedIn: { client, hostKey: state.hostKey, method: state.sentBy } });
  });
  client.on("change password", () => give(mustChange(state)));
  client.on("error", (error) => give(errorFailure(error, state)));
  client.on("close", () => give(closedFailure(state)));

  const serverHostKey = algorithmsFor(pinned);
  client.connect({
    sock: stream,
    username,
    readyTimeout: 0,
    keepaliveInterval: request.keepalive ?? 0,
    ...(request.agent ? { agent: request.agent, agentForward: true } : {}),
    ...(serverHostKey === null ? {} : { algorithms: { serverHostKey } }),
    hostVerifier: (blob: Buffer) => {
      state.hostKey = hostKeyOf(blob);
      if (state.hostKey === null) return false;
      if (pinned === null || isSameKey(pinned, state.hostKey)) return true;
      give(hostKeyChanged(endpoint, pinned, state.hostKey));
      return false;
    },
    authHandler: (offered: AuthenticationType[] | null, isPartial, next) => {
      if (offered === null) {
        next({ type: "none", username });
        return;
      }
      const step = nextStep(state, offered, isPartial, give);
      if (step !== null) next(step);
    },
  });
  return promise;
}

/** The next authentication method to try once the server has listed its methods, or null when the login is over. */
function nextStep(
  state: LoginState,
  offered: readonly AuthenticationType[],
  isPartial: boolean,
  give: (failure: Failure) => void,
): AnyAuthMethod | null {
  const { secret, username } = state;
  if (state.sentBy !== null) {
    give(isPartial ? secondFactor(state) : refused(state));
    return null;
  }
  if (secret.kind === "key" && offered.includes("publickey")) {
    state.sentBy = "publickey";
    return { type: "publickey", username, key: secret.key };
  }
  if (secret.kind === "password" && offered.includes("password")) {
    state.sentBy = "password";
    return { type: "password", username, password: secret.password };
  }
  if (secret.kind === "password" && offered.includes("keyboard-interactive")) {
    state.sentBy = "keyboard-interactive";
    const answer = promptAnswerer(state, secret.password, give);
    return {
      type: "keyboard-interactive",
      username,
      prompt: (name, text, _language, prompts, finish) => answer(`${name} ${text}`, prompts, finish),
    };
  }
  const thing = secret.kind === "key" ? "keys" : "passwords";
  give(
    misconfigured(
      "method-not-offered",
      `${nameOf(state.endpoint)} accepts no ${thing} for ${username}. The secret was not sent.`,
    ),
  );
  return null;
}

function promptAnswerer(state: LoginState, password: string, give: (failure: Failure) => void) {
  let first: string | null = null;
  return (text: string, prompts: readonly Prompt[], finish: (answers: string[]) => void): void => {
    const [prompt] = prompts;
    if (prompt === undefined) {
      finish([]);
      return;
    }
    const asked = `${text} ${prompts.map((each) => each.prompt).join(" ")}`;
    if (
      first === null &&
      prompts.length === 1 &&
      prompt.echo !== true &&
      !NEW_PASSWORD.test(asked) &&
      !ONE_TIME_CODE.test(asked)
    ) {
      first = prompt.prompt;
      finish([password]);
      return;
    }
    const isRepeated = first === prompt.prompt;
    const answer = isRepeated ? null : renewed(state, prompts, password);
    if (answer !== null) finish([answer]);
    else if (NEW_PASSWORD.test(asked)) give(mustChange(state));
    else if (isRepeated) give(refused(state));
    else give(secondFactor(state));
  };
}

/** The answer to a prompt during a login that changes the password; null for any other login. */
function renewed({ renewal }: LoginState, prompts: readonly Prompt[], password: string): string | null {
  const [prompt] = prompts;
  if (renewal === null || prompt === undefined || prompts.length > 1 || prompt.echo === true) return null;
  return answerTo(promptIn(prompt.prompt), password, renewal);
}

const NEW_PASSWORD = /\b(new|current|old|retype|change|expired)\b/i;
const ONE_TIME_CODE = /\b(code|otp|token|passcode|one-time|verification|authenticator|duo)\b/i;

function refused({ secret, username, endpoint }: LoginState): Failure {
  const message =
    secret.kind === "key"
      ? `${nameOf(endpoint)} did not accept the key for ${username}: it is not among the account's authorized keys, or login is not permitted.`
      : `${nameOf(endpoint)} did not accept the password for ${username}. Possible causes: wrong password, locked account, or login not permitted.`;
  return rejected("wrong-password", message);
}

function secondFactor({ endpoint, username }: LoginState): Failure {
  return misconfigured(
    "second-factor",
    `${nameOf(endpoint)} requires a second factor from ${username}, so the stored secret alone cannot be verified.`,
  );
}

export function mustChange({
  endpoint,
  username,
  secret,
}: Pick<LoginState, "endpoint" | "username" | "secret">): Failure {
  const thing =
    secret.kind === "key"
      ? `The key is valid on ${nameOf(endpoint)} for ${username}, but the account's password`
      : `The password of ${username} on ${nameOf(endpoint)} is right, but it`;
  return rejected("must-change", `${thing} has expired and must be changed before the account can be used.`);
}
