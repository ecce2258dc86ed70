// Lists the accounts of a Unix host in one round trip, with the facts that the login can read.
import type { ListAttempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { ListFinding, Target } from "../connector.ts";
import { listed, misconfigured, unreachable } from "../finding.ts";
import type { ListedFinding } from "../finding.ts";
import { readCollection } from "./collection.ts";
import { COLLECTION_COMMAND, COLLECTION_SCRIPT } from "./collection-script.ts";
import { mustChange } from "./login.ts";
import { runCommand } from "./run-command.ts";
import { openSession } from "./session.ts";

/** See `readCollection` for the facts. */
export async function listUsers(target: Target, value: string, current: ListAttempt): Promise<ListFinding> {
  const opened = await openSession(target, value, current, { maxReceivedBytes: MAX_LISTED_BYTES });
  if ("failure" in opened) return opened.failure;
  const { client, where, username, login } = opened.session;
  const read = (output: string): ListedFinding => {
    const { accounts, collected, commands, isWhole } = readCollection(output, current.context.now());
    const finding = listed(accounts, where, { hostKey: login.hostKey });
    const message = isWhole ? finding.message : `${finding.message} The host's answer was cut off.`;
    return { ...finding, message, isComplete: finding.isComplete && isWhole, collected, commands };
  };
  current.waitFor(`${where} to list its accounts`);
  let received = "";
  const count = countLines("P:");
  const onOutput = (output: string) => {
    received = output;
    const amount = count(output);
    if (amount > 0) current.progress(amount);
  };
  current.keep(() => {
    if (received.length > MOST_PARTIAL) return unreachable("connection-lost", `${where} answered with too much data.`);
    // The last line may be cut off in the middle.
    return read(received.slice(0, received.lastIndexOf("\n") + 1));
  });
  const options = { input: COLLECTION_SCRIPT, maxBytes: MAX_LISTED_BYTES, onOutput };
  const result = await runCommand(client, COLLECTION_COMMAND, options);
  if (result === null) return misconfigured("no-permission", `${username} cannot run commands on ${where}.`);
  if (result.status === null) return unreachable("connection-lost", `${where} closed the connection during the list.`);
  if (/password (change required|.{0,20}expired)/i.test(result.stderr)) return mustChange(opened.session);
  const finding = read(result.stdout);
  if (result.status === 0 && finding.accounts.length > 0) return finding;
  const failure = misconfigured("no-permission", `${username} could not list the accounts of ${where}.`);
  return { ...failure, commands: finding.commands ?? [] };
}

/** A host that never stops sending has no partial list. */
const MOST_PARTIAL = MAX_LISTED_BYTES / 2;

/** Counts the lines that begin with `start` in a text that grows from call to call. */
function countLines(start: string): (text: string) => number {
  let [count, from] = [0, 0];
  return (text) => {
    const to = text.lastIndexOf("\n") + 1;
    if (to > from)
      count += text
        .slice(from, to)
        .split("\n")
        .filter((line) => line.startsWith(start)).length;
    from = Math.max(from, to);
    return count;
  };
}
