// Reads files of a Unix host as a stream: one login, `find` for the list and `tar` for the contents, or SFTP.
import type { Attempt } from "../../attempt.ts";
import type { ReadFilesFinding, Target } from "../../connector.ts";
import { Unread, isOver, withinLimits, type FileReader, type FileSearch, type FilesRead } from "../../file-search.ts";
import { misconfigured, unreachable } from "../../finding.ts";
import { runCommand } from "../run-command.ts";
import { openSession } from "../session.ts";
import { findFiles, goneOf } from "./find-files.ts";
import { packageDigests } from "./package-files.ts";
import { probeHost, type HostTools } from "./probe-host.ts";
import { readOverSftp } from "./read-over-sftp.ts";
import { readProcesses } from "./read-processes.ts";
import { readTar } from "./read-tar.ts";
import type { Reading } from "./reading.ts";

export async function readFilesOf(
  target: Target,
  value: string,
  search: FileSearch,
  reader: FileReader,
  current: Attempt,
): Promise<ReadFilesFinding> {
  const opened = await openSession(target, value, current, { maxReceivedBytes: Infinity });
  if ("failure" in opened) return opened.failure;
  const { client, where, login } = opened.session;
  current.waitFor(`${where} to send its files`);
  const tools = await probeHost(client);
  if (current.signal.aborted) return unreachable("connection-lost", `${where} closed the connection.`);
  const reading: Reading = {
    client,
    search,
    reader,
    current,
    unread: new Unread(),
    limit: null,
    isOver: async () => false,
  };
  reading.isOver = overOf(reading, tools);
  let isLost = false;
  client.once("close", () => (isLost = true));
  if (reader.readProcesses !== undefined) {
    const read = await readProcesses(client);
    if (read !== null) await reader.readProcesses(read.processes, read.isComplete);
  }
  const gone = tools === null ? await readOverSftp(reading) : await readWithTools(reading, tools);
  if (gone === null) {
    return misconfigured(
      "no-permission",
      `${opened.session.username} can neither run commands nor use SFTP on ${where}.`,
    );
  }
  if (isLost) return unreachable("connection-lost", `${where} closed the connection while it sent its files.`);
  const { unread, limit } = reading;
  const result: FilesRead = {
    outcome: "read",
    message: `Read the files of ${where}.`,
    unread: unread.paths,
    unreadCount: unread.count,
    gone,
    limit,
    way: tools === null ? "sftp" : "tar",
    isRoot: tools?.isRoot === true,
    facts: { hostKey: login.hostKey },
  };
  return result;
}

/** Returns the known paths that no longer exist. */
async function readWithTools(reading: Reading, tools: HostTools): Promise<string[]> {
  const { files } = await findFiles(reading, tools);
  const digests = await packageDigests(reading.client);
  const gone = await goneOf(reading, tools);
  const chosen = withinLimits(reading, await reading.reader.choose(files));
  if (chosen.length > 0) await readTar(reading, tools, chosen, digests);
  return gone;
}

const LOAD_INTERVAL_MS = 3_000;

function overOf(reading: Reading, tools: HostTools | null): Reading["isOver"] {
  const { client, current, search } = reading;
  let checkedAt = 0;
  return async () => {
    if (search.maxLoadPerCore === null || tools === null) return isOver(reading);
    while (!isOver(reading) && performance.now() - checkedAt > LOAD_INTERVAL_MS) {
      const result = await runCommand(client, "cat /proc/loadavg", {});
      const load = Number.parseFloat(result?.stdout ?? "");
      if (Number.isNaN(load) || load <= search.maxLoadPerCore * tools.cores) checkedAt = performance.now();
      else await pause(current.signal);
      if (current.signal.aborted) return true;
    }
    return isOver(reading);
  };
}

/** Waits one interval, or until the attempt ends. */
function pause(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LOAD_INTERVAL_MS);
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
