// Lists the accounts of a Unix host in one round trip, with the facts that the login can read.
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { ListFinding, Target } from "../connector.ts";
import { listed, misconfigured, unreachable } from "../finding.ts";
import { accountsIn, LISTING_SCRIPT } from "./account-listing.ts";
import { mustChange } from "./login.ts";
import { runCommand } from "./run-command.ts";
import { openSession } from "./session.ts";

/** As root if the login is root or sudo needs no password; else as the login itself. */
const COMMAND = `sh -c 'if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then exec sudo -n sh -s; else exec sh -s; fi'`;

/** See `accountsIn` for the facts. */
export async function listUsers(target: Target, value: string, current: Attempt): Promise<ListFinding> {
  const opened = await openSession(target, value, current, { maxReceivedBytes: MAX_LISTED_BYTES });
  if ("failure" in opened) return opened.failure;
  const { client, where, username } = opened.session;
  current.waitFor(`${where} to list its accounts`);
  const result = await runCommand(client, COMMAND, { input: LISTING_SCRIPT, maxBytes: MAX_LISTED_BYTES });
  if (result === null) return misconfigured("no-permission", `${username} cannot run commands on ${where}.`);
  if (result.status === null) return unreachable("connection-lost", `${where} closed the connection during the list.`);
  if (/password (change required|.{0,20}expired)/i.test(result.stderr)) return mustChange(opened.session);
  const accounts = result.status === 0 ? accountsIn(result.stdout, current.context.now()) : [];
  return accounts.length === 0
    ? misconfigured("no-permission", `${username} could not list the accounts of ${where}.`)
    : listed(accounts, where, { hostKey: opened.session.login.hostKey });
}
