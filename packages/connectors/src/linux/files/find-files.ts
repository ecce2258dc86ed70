// Lists the files of a host that a search asks for, with their owners and modes, in one command.
import type { ClientChannel } from "ssh2";
import type { FileSearch, FoundFile } from "../../file-search.ts";
import { openChannel, textOf } from "./channel.ts";
import { quoted, shell, type HostTools } from "./probe-host.ts";
import type { Reading } from "./reading.ts";

const FORMAT = String.raw`%p\0%s\0%T@\0%C@\0%i\0%m\0%u\0%g\0`;
const FIELDS = 8;
/** A list of 200,000 files is about 30 MB. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** No path that can be asked for again is as long. */
const MAX_FIELD_BYTES = 1024 * 1024;

export async function findFiles(reading: Reading, { findPrefix }: HostTools): Promise<{ files: FoundFile[] }> {
  const { search, unread } = reading;
  const script = `LC_ALL=C; export LC_ALL; exec ${findPrefix}find ${expressionOf(search)} </dev/null`;
  const channel = await openChannel(reading.client, shell(script));
  if (channel === null) return { files: [] };
  const errors = textOf(channel.stderr);
  const files = await filesIn(channel, reading);
  for (const line of (await errors).split("\n")) {
    const path = /^find: '(.*)': (?!No such file)/.exec(line)?.[1];
    if (path !== undefined) unread.add(path);
  }
  return { files };
}

async function filesIn(channel: ClientChannel, reading: Reading): Promise<FoundFile[]> {
  const { search, current } = reading;
  const files: FoundFile[] = [];
  let fields: string[] = [];
  let rest = Buffer.alloc(0);
  let received = 0;
  for await (const chunk of channel as AsyncIterable<Buffer>) {
    received += chunk.length;
    const data = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = data.indexOf(0, rest.length); at >= 0; at = data.indexOf(0, from)) {
      fields.push(data.toString("utf8", from, at));
      from = at + 1;
      if (fields.length < FIELDS) continue;
      const file = fileOf(fields);
      fields = [];
      if (file !== null) files.push(file);
    }
    rest = data.subarray(from);
    const isTooLong = received > MAX_LIST_BYTES || rest.length > MAX_FIELD_BYTES;
    if (files.length >= search.maxFiles || isTooLong) reading.limit = "files";
    else if (current.signal.aborted || (await reading.isOver())) reading.limit = "time";
    else continue;
    channel.close();
    break;
  }
  return files.slice(0, search.maxFiles);
}

function fileOf(fields: readonly string[]): FoundFile | null {
  const [path, size, modified, changed, inode, mode, owner, group] = fields as [string, ...string[]];
  const at = new Date(Number(modified) * 1000);
  // A path with bytes that are not UTF-8 cannot be requested again.
  if (!path.startsWith("/") || path.includes("\uFFFD") || Number.isNaN(at.getTime())) return null;
  return {
    path,
    size: Number(size),
    stamp: [size, modified, changed, inode, mode, owner, group].join(" "),
    modifiedAt: at.toISOString(),
    mode: mode ?? "",
    owner: owner ?? "",
    group: group ?? "",
  };
}

function expressionOf({ roots, names, excludes, maxFileSize }: FileSearch): string {
  const skipped = excludes.map((pattern) => `${pattern.includes("/") ? "-path" : "-name"} ${quoted(pattern)}`);
  const wanted = names.map((pattern) => `-name ${quoted(pattern)}`);
  return [
    ...roots.map(quoted),
    "-xdev",
    ...(skipped.length === 0 ? [] : [`\\( ${skipped.join(" -o ")} \\) -prune -o`]),
    `-type f -size -${maxFileSize + 1}c`,
    ...(wanted.length === 0 ? [] : [`\\( ${wanted.join(" -o ")} \\)`]),
    `-printf '${FORMAT}'`,
  ].join(" ");
}

/** The known paths for which the host reports that they do not exist. */
export async function goneOf({ client, search }: Reading, { findPrefix }: HostTools): Promise<string[]> {
  if (search.known.length === 0) return [];
  const find = `LC_ALL=C; export LC_ALL; exec ${findPrefix}find "$@" -maxdepth 0 -printf ""`;
  const channel = await openChannel(client, shell(`exec xargs -0 -r sh -c ${quoted(find)} sh`));
  if (channel === null) return [];
  const errors = textOf(channel.stderr, MAX_LIST_BYTES);
  channel.resume();
  channel.end(search.known.map((path) => `${path}\0`).join(""));
  const known = new Set(search.known);
  const lines = (await errors).split("\n");
  const named = lines.map((line) => /^find: '(.*)': (?:No such file or directory|Not a directory)$/.exec(line)?.[1]);
  return named.filter((path) => path !== undefined && known.has(path)) as string[];
}
