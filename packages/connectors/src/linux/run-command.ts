// Runs one command on a Unix host and collects its output, within limits.
import type { Client, ClientChannel, ExecOptions } from "ssh2";

export interface CommandResult {
  /** The exit status. Null when a signal or a hangup ended the command, or the connection was lost before it ended. */
  status: number | null;
  /** The connection was lost before the command ended. */
  isLost: boolean;
  stdout: string;
  stderr: string;
}

/** A dialogue with a running command. */
interface CommandDialogue {
  /** `text` is everything written to either output since the last answer. */
  onText(text: string, reply: Reply): void;
}

interface Reply {
  /** Types one line. */
  answer(line: string): void;
  /** Types the rest of the input. */
  finish(text: string): void;
  /** Closes the channel. */
  giveUp(): void;
}

const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Resolves when the command has ended or the connection is lost; null when the host runs no command at all. `input` is
 * its whole standard input. Output beyond `maxBytes` is dropped.
 */
export function runCommand(
  client: Client,
  command: string,
  { input, talk, pty, maxBytes = MAX_OUTPUT_BYTES, onOutput = () => {} }: CommandOptions,
): Promise<CommandResult | null> {
  const { promise, resolve } = Promise.withResolvers<CommandResult | null>();
  const result: CommandResult = { status: null, isLost: false, stdout: "", stderr: "" };
  const lost = () => resolve({ ...result, isLost: result.status === null });
  client.once("close", lost);
  const options: ExecOptions = pty === true ? { pty: { term: "dumb", cols: 200, rows: 50, modes: { ECHO: 0 } } } : {};
  const started = (error: Error | undefined, channel: ClientChannel) => {
    if (error !== undefined) {
      // The library's message for a request left unanswered by the end of the connection.
      if (/no response/i.test(error.message)) lost();
      else resolve(null);
      return;
    }
    collect(channel, result, maxBytes, onOutput);
    channel.on("exit", (code: number | null) => (result.status = code));
    // Channels end before their connection: a command still running at that point was lost with it.
    channel.on("close", () => setImmediate(() => resolve(result)));
    channel.on("error", () => {});
    if (talk !== undefined) converse(channel, talk);
    else channel.end(input ?? "");
  };
  try {
    client.exec(command, options, started);
  } catch {
    // `close` throws when the connection is already closed.
    lost();
  }
  return promise.finally(() => client.removeListener("close", lost));
}

export interface CommandOptions {
  input?: string;
  talk?: CommandDialogue;
  /** A terminal without echo. */
  pty?: boolean;
  maxBytes?: number;
  /** Called with the standard output so far. */
  onOutput?: (stdout: string) => void;
}

function collect(
  channel: ClientChannel,
  result: CommandResult,
  maxBytes: number,
  onOutput: (stdout: string) => void,
): void {
  const [decodeOut, decodeErr] = [new TextDecoder(), new TextDecoder()];
  const room = () => maxBytes - result.stdout.length - result.stderr.length;
  channel.on("data", (chunk: Buffer) => {
    if (room() <= 0) return;
    result.stdout += decodeOut.decode(chunk, { stream: true });
    onOutput(result.stdout);
  });
  channel.stderr.on("data", (chunk: Buffer) => {
    if (room() > 0) result.stderr += decodeErr.decode(chunk, { stream: true });
  });
}

function converse(channel: ClientChannel, talk: CommandDialogue): void {
  let unanswered = "";
  const hear = (chunk: Buffer) => {
    unanswered = `${unanswered}${chunk.toString("utf8")}`.slice(-4096);
    talk.onText(unanswered, {
      answer: (line) => {
        unanswered = "";
        channel.write(`${line}\n`);
      },
      finish: (text) => {
        unanswered = "";
        channel.end(text);
      },
      giveUp: () => channel.close(),
    });
  };
  channel.on("data", hear);
  channel.stderr.on("data", hear);
}
