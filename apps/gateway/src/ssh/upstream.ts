// The target of a session over SSH: a connection, and the programs that run on it.
import { permittedAddresses, type NetworkPolicy, type Target, type VerifyContext } from "@strongroom/connectors";
import { connectSsh, type KeyForConnection, type SshConnection } from "@strongroom/connectors/ssh";
import type { Secret } from "@strongroom/keys";
import type { Duplex } from "node:stream";
import { callbackify } from "node:util";
import ssh2, { type ClientChannel, type PseudoTtyOptions } from "ssh2";
import { OrderedReader } from "#gateway/core/ordered-reader.ts";
import type { OpenAgent, Program, Size, Upstream, UpstreamChannel } from "#gateway/core/ports.ts";

/** A login that did not succeed: for the user, and for the limits on failed logins. */
export interface FailedLogin {
  failure: string;
  /** The target answered that the credential is wrong. */
  isRejected: boolean;
  /** The target may have counted it as a failed login. */
  isCounted: boolean;
}

/** Logs in with the secret, which is not kept, or with a key that is made for this connection. */
export async function connectTarget(
  target: Target,
  credential: Secret | KeyForConnection,
  context: VerifyContext,
  agent: OpenAgent | null = null,
): Promise<{ upstream: Upstream } | FailedLogin> {
  const connected = await connectSsh(target, credential, context, agent === null ? null : new ForwardedAgent(agent));
  if ("failure" in connected) {
    const { outcome, message } = connected.failure;
    return { failure: message, isRejected: outcome === "rejected", isCounted: outcome !== "unreachable" };
  }
  return { upstream: upstreamOf(connected.connection, context.network) };
}

/** Concurrent connections to the user's agent. */
const MOST_AGENT_STREAMS = 10;

/** The agent that the target uses: each connection goes to the agent of the user's client. Never used for the login. */
class ForwardedAgent extends ssh2.BaseAgent {
  readonly #open: OpenAgent;
  #streams = 0;

  constructor(open: OpenAgent) {
    super();
    this.#open = open;
  }

  override getIdentities(done: (error: Error) => void): void {
    done(new Error("not for logins"));
  }

  override sign(_key: unknown, _data: Buffer, ...rest: unknown[]): void {
    const done = rest.at(-1) as (error: Error) => void;
    done(new Error("not for logins"));
  }

  override getStream(done: (error: Error | undefined, stream?: Duplex) => void): void {
    if (this.#streams >= MOST_AGENT_STREAMS) return done(new Error("too many connections to the agent"));
    this.#streams += 1;
    callbackify(this.#open)((error: Error | null, stream: Duplex) => {
      if (error !== null) {
        this.#streams -= 1;
        return done(error);
      }
      stream.once("close", () => (this.#streams -= 1));
      stream.on("error", () => stream.destroy());
      done(undefined, stream);
    });
  }
}

/** Longer than any server needs to start a shell. */
const START_WITHIN_MS = 20_000;

function upstreamOf(connection: SshConnection, network: NetworkPolicy): Upstream {
  return {
    destroy: () => connection.destroy(),
    start: (program) =>
      new Promise((resolve) => {
        const fail = (failure: string) => {
          clearTimeout(timer);
          resolve({ failure });
        };
        const timer = setTimeout(() => {
          fail("The target did not start the session within 20 s.");
          connection.destroy();
        }, START_WITHIN_MS);
        connection.client.once("close", () => fail("The target closed the connection."));
        const refused = (text: string) => {
          fail(text);
          connection.destroy();
        };
        const started = (error: Error | undefined, channel: ClientChannel) => {
          if (error !== undefined) {
            fail(`The target refused to start ${NAMES[program.kind]}.`);
            return;
          }
          clearTimeout(timer);
          resolve({ channel: channelOf(connection, channel) });
        };
        const begin = (address: string | null) => {
          try {
            startProgram(connection, program, address, started);
          } catch {
            // Throws when the connection is already closed.
            fail("The target closed the connection.");
          }
        };
        if (program.destination === undefined) begin(null);
        else {
          // INVARIANT: port forwarding reaches only what the network policy permits, by address: a second resolution on
          // the target could differ.
          void permittedAddresses(network, program.destination.host).then((permitted) =>
            "failure" in permitted ? refused(permitted.failure.message) : begin(permitted.addresses[0] ?? null),
          );
        }
      }),
  };
}

const NAMES: Record<Program["kind"], string> = {
  shell: "a shell",
  exec: "the command",
  sftp: "SFTP",
  forward: "the connection",
};

function startProgram(
  { client }: SshConnection,
  { kind, command, terminal, destination }: Program,
  address: string | null,
  started: (error: Error | undefined, channel: ClientChannel) => void,
): void {
  const pty: PseudoTtyOptions | null =
    terminal === null ? null : { term: terminal.type, cols: terminal.cols, rows: terminal.rows, width: 0, height: 0 };
  if (destination !== undefined)
    client.forwardOut("127.0.0.1", 0, address ?? destination.host, destination.port, started);
  else if (kind === "sftp") client.subsys("sftp", started);
  else if (command !== null) client.exec(command, pty === null ? {} : { pty }, started);
  else client.shell(pty ?? false, started);
}

function channelOf(connection: SshConnection, channel: ClientChannel): UpstreamChannel {
  let isClosed = false;
  let status: number | null = null;
  // A short command can end before its output is read.
  channel.once("exit", (code: number | null) => (status = code ?? KILLED));
  const released = new Set<() => void>();
  channel.on("error", () => connection.destroy());
  channel.once("close", () => {
    isClosed = true;
    for (const release of released) release();
  });
  return {
    read(output, ended) {
      const reader = new OrderedReader();
      reader.read(channel, (bytes) => output(bytes, false));
      if (channel.stderr) reader.read(channel.stderr, (bytes) => output(bytes, true));
      // Also called when the connection was lost, but only after everything that arrived was read.
      channel.once("close", () => void reader.settled.then(() => ended({ status })));
    },
    write(bytes) {
      if (isClosed || channel.write(bytes)) return Promise.resolve();
      return new Promise((resolve) => {
        const release = () => {
          channel.removeListener("drain", release);
          released.delete(release);
          resolve();
        };
        released.add(release);
        channel.once("drain", release);
      });
    },
    finish: () => void (isClosed || channel.end()),
    resize: ({ cols, rows }: Size) => void (isClosed || channel.setWindow(rows, cols, 0, 0)),
    destroy: () => connection.destroy(),
  };
}

/** The exit status that shells give to a program that a signal ended. */
const KILLED = 255;
