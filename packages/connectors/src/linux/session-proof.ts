// Checks whether a logged-in account can do anything: OpenSSH lets an account in even if it must first change its
// password.
import type { Client } from "ssh2";

/** `silent`: no command could be run, which is normal for network devices and file-transfer accounts. */
export type SessionProof = "runs-commands" | "must-change" | "silent";

/** Longer than any shell needs to start and exit; anything slower is not a shell. */
const LIMIT_MS = 3_000;
const MAX_OUTPUT = 4_096;

/** Runs `true`, which every Unix has and which changes nothing. Never fails: a session without proof is `silent`. */
export function proveSession(client: Client, remainingMs: number): Promise<SessionProof> {
  const { promise, resolve } = Promise.withResolvers<SessionProof>();
  const timer = setTimeout(() => resolve("silent"), Math.max(0, Math.min(LIMIT_MS, remainingMs - 200)));
  client.once("close", () => resolve("silent"));
  client.exec("true", (error, channel) => {
    if (error !== undefined) {
      resolve("silent");
      return;
    }
    let output = "";
    const collect = (chunk: Buffer) => {
      if (output.length < MAX_OUTPUT) output += chunk.toString("latin1");
    };
    let status: number | null = null;
    channel.on("data", collect);
    channel.stderr.on("data", collect);
    channel.on("exit", (code: number | null) => (status = code));
    channel.on("close", () => resolve(meaningOf(status, output)));
    // End the input immediately, because a forced sftp-server would wait for it.
    channel.end();
  });
  return promise.finally(() => clearTimeout(timer));
}

/** OpenSSH's session.c prints "Password change required but no TTY available." and exits with 1. */
function meaningOf(status: number | null, output: string): SessionProof {
  if (status === 0) return "runs-commands";
  return /password (change required|.{0,20}expired)/i.test(output) ? "must-change" : "silent";
}
