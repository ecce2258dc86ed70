// A logged-in console on a device: over an SSH shell, or over Telnet with its login prompts.
import type { Client, ClientChannel } from "ssh2";
import type { Attempt } from "../attempt.ts";
import type { Facts, Failure, Target } from "../connector.ts";
import { connectionFailure, dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { isTelnet } from "./is-telnet.ts";
import { consoleOver, ShownSecret, type Console } from "./console.ts";
import type { Script } from "./presets.ts";
import { scriptOf } from "./script.ts";
import { mustChange, passwordEchoed } from "./session-failure.ts";

export interface Session {
  console: Console;
  script: Script;
  endpoint: Endpoint;
  /** False over SSH while none of the script's prompts has appeared. */
  isReady: boolean;
  facts: Facts;
  close(): void;
}

export interface DeviceLogin {
  username: string | null;
  password: string;
}

/** How long an SSH device may take to show a prompt before the login alone counts as proof. */
const PROMPT_MS = 3_000;

/** Logged in and, over Telnet, at a prompt that accepts commands. The secret is sent once. */
export async function openSession(
  target: Target,
  deviceLogin: DeviceLogin,
  current: Attempt,
): Promise<Session | { failure: Failure }> {
  const checked = checkedInput(target, deviceLogin);
  if ("failure" in checked) return checked;
  const { endpoint, script, username } = checked;
  const request = { target, endpoint, script, username, password: deviceLogin.password };
  return isTelnet(target) ? overTelnet(request, current) : overSsh(request, current);
}

interface Request {
  target: Target;
  endpoint: Endpoint;
  script: Script;
  username: string;
  password: string;
}

/** Refuses, before anything is sent, input that a prompt could misread. */
function checkedInput(
  target: Target,
  { username, password }: DeviceLogin,
): { endpoint: Endpoint; script: Script; username: string } | { failure: Failure } {
  const script = scriptOf(target);
  if ("failure" in script) return script;
  if (!target.host) return refuse("The host is missing.");
  if (!username) return refuse("The user name is missing.");
  if (!isPlainName(username)) return refuse(NO_NAME);
  if (password === "") return refuse("The password is empty.");
  if (isTelnet(target) && !isTypeable(password)) return refuse(NOT_TYPEABLE);
  return { endpoint: { host: target.host, port: target.port ?? (isTelnet(target) ? 23 : 22) }, script, username };
}

export const NO_NAME =
  "The user name may only contain letters, digits and . _ - @ \\, and must start with a letter, a digit or an underscore.";
export const NOT_TYPEABLE = "A password typed at prompts must be printable ASCII of at most 128 characters.";

export function isTypeable(password: string): boolean {
  return /^[\x20-\x7e]{1,128}$/.test(password);
}

/** A user name that can never be an option, a second command or a pattern. */
export function isPlainName(username: string): boolean {
  return /^[a-z0-9_][a-z0-9._@\\-]{0,63}$/i.test(username);
}

async function overSsh(request: Request, current: Attempt): Promise<Session | { failure: Failure }> {
  const { target, endpoint, script, username, password } = request;
  const { logIn } = await import("../linux/login.ts");
  const { loginSecret } = await import("../linux/login-secret.ts");
  const secret = await loginSecret(password, false, current.signal);
  if ("failure" in secret) return secret;
  const dialled = await dial(endpoint, current);
  if ("failure" in dialled) return dialled;
  current.waitFor(`${nameOf(endpoint)} to answer the SSH login`);
  const pinned = target.knownHostKey ?? null;
  const login = await logIn(dialled.stream, { endpoint, username, secret, pinned });
  if ("failure" in login) return login;
  const { client, hostKey, method } = login.loggedIn;
  const facts = { protocol: "ssh", hostKey, isFirstUse: pinned === null, method };
  const close = () => dialled.stream.destroy();

  current.waitFor(`${nameOf(endpoint)} to show its prompt`);
  const channel = await openShell(client);
  const console = consoleOver(channel ?? dialled.stream, dialled.stream);
  const session = { console, script, endpoint, facts, close };
  if (channel === null) return { ...session, isReady: false };
  const { MUST_CHANGE } = await import("./presets.ts");
  const wait = Math.min(PROMPT_MS, Math.max(0, current.remainingMs() - 300));
  try {
    const output = await console.expect([...script.ready, ...MUST_CHANGE], wait);
    if (output !== null && MUST_CHANGE.includes(output.pattern)) return { failure: mustChange(endpoint, username) };
    return { ...session, isReady: output !== null };
  } catch {
    // The login has succeeded; a device may end a session for which it has no shell.
    return { ...session, isReady: false };
  }
}

async function overTelnet(request: Request, current: Attempt): Promise<Session | { failure: Failure }> {
  const { target, endpoint, script, username, password } = request;
  const { telnetWire } = await import("./telnet-wire.ts");
  const { logInByPrompts } = await import("./telnet-login.ts");
  const wire = await telnetWire(target, endpoint, current);
  if ("failure" in wire) return wire;
  const console = consoleOver(wire.stream, wire.stream);
  const close = () => wire.stream.destroy();
  current.waitFor(`${nameOf(endpoint)} to show its login prompts`);
  try {
    const failure = await logInByPrompts(console, { script, endpoint, username, password });
    if (failure !== null) return { failure };
    return {
      console,
      script,
      endpoint,
      isReady: true,
      facts: { protocol: "telnet", isEncrypted: wire.isEncrypted },
      close,
    };
  } catch (error) {
    if (error instanceof ShownSecret) return { failure: passwordEchoed(endpoint) };
    return { failure: connectionFailure(error, endpoint) };
  }
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}

/** An interactive shell with a terminal so wide that no device wraps or pages lines. Null when the device provides none. */
function openShell(client: Client): Promise<ClientChannel | null> {
  return new Promise((resolve) => {
    client.once("close", () => resolve(null));
    client.shell({ term: "dumb", cols: 500, rows: 1000, width: 0, height: 0 }, (error, channel) => {
      if (error !== undefined) {
        resolve(null);
        return;
      }
      channel.stderr.on("data", () => {});
      resolve(channel);
    });
  });
}
