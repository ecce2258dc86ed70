// Lists the accounts of a Unix host in one round trip, with the facts that the login can read.
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { ListFinding, Target } from "../connector.ts";
import { listed, misconfigured, unreachable } from "../finding.ts";
import { readCollection } from "./collection.ts";
import { COLLECTION_COMMAND, COLLECTION_SCRIPT } from "./collection-script.ts";
import { mustChange } from "./login.ts";
import { runCommand } from "./run-command.ts";
import { openSession } from "./session.ts";

/** See `readCollection` for the facts. */
export async function listUsers(target: Target, value: string, current: Attempt): Promise<ListFinding> {
  const opened = await openSession(target, value, current, { maxReceivedBytes: MAX_LISTED_BYTES });
  if ("failure" in opened) return opened.failure;
  const { client, where, username } = opened.session;
  current.waitFor(`${where} to list its accounts`);
  const result = await runCommand(client, COLLECTION_COMMAND, { input: COLLECTION_SCRIPT, maxBytes: MAX_LISTED_BYTES });
  if (result === null) return misconfigured("no-permission", `${username} cannot run commands on ${where}.`);
  if (result.status === null) return unreachable("connection-lost", `${where} closed the connection during the list.`);
  if (/password (change required|.{0,20}expired)/i.test(result.stderr)) return mustChange(opened.session);
  const { accounts, collected, commands, isWhole } = readCollection(result.stdout, current.context.now());
  if (result.status !== 0 || accounts.length === 0) {
    const failure = misconfigured("no-permission", `${username} could not list the accounts of ${where}.`);
    return { ...failure, commands };
  }
  const finding = listed(accounts, where, { hostKey: opened.session.login.hostKey });
  if (finding.outcome !== "listed") return finding;
  const message = isWhole ? finding.message : `${finding.message} The host's answer was cut off.`;
  return { ...finding, message, isComplete: finding.isComplete && isWhole, collected, commands };
}
