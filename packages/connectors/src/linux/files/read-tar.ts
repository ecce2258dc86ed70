// Reads the contents of chosen files through one `tar` on the host, as a stream with back-pressure.
import { createTarDecoder } from "modern-tar";
import { Readable } from "node:stream";
import type { FoundFile } from "../../file-search.ts";
import { openChannel, textOf } from "./channel.ts";
import { hasDigest } from "./package-files.ts";
import { shell, type HostTools } from "./probe-host.ts";
import type { Reading } from "./reading.ts";

/** `tar` ends with 1 or 2 when files change or vanish while it reads them: those are counted, and the rest is read. */
export async function readTar(
  reading: Reading,
  { tarPrefix }: HostTools,
  files: readonly FoundFile[],
  digests: ReadonlyMap<string, string>,
): Promise<void> {
  const { client, unread } = reading;
  const options = "-c -P --format=gnu --no-recursion --hard-dereference --ignore-failed-read --null -T - -f -";
  const channel = await openChannel(client, shell(`LC_ALL=C; export LC_ALL; exec ${tarPrefix}tar ${options}`));
  const missing = new Map(files.map((file) => [file.path, file]));
  if (channel !== null) {
    // Its lines only repeat what is missing from the archive.
    void textOf(channel.stderr);
    channel.end(files.map(({ path }) => `${path}\0`).join(""));
    await contentsOf(channel, reading, missing, digests);
    channel.close();
  }
  if (reading.limit !== "time") for (const path of missing.keys()) unread.add(path);
}

async function contentsOf(
  channel: Readable,
  reading: Reading,
  missing: Map<string, FoundFile>,
  digests: ReadonlyMap<string, string>,
): Promise<void> {
  const { maxFileSize } = reading.search;
  const entries = (Readable.toWeb(channel) as ReadableStream<Uint8Array>).pipeThrough(createTarDecoder());
  let failure: { error: unknown } | null = null;
  try {
    for await (const { header, body } of entries) {
      const path = header.name.startsWith("/") ? header.name : `/${header.name}`;
      const file = missing.get(path);
      if (await reading.isOver()) break;
      // A file that became a link or a folder has no content to read.
      if (file === undefined || header.type !== "file" || header.size > maxFileSize) {
        await body.cancel();
        continue;
      }
      const content = await contentOf(body);
      if (content.length !== header.size) break;
      missing.delete(path);
      const read = reading.reader.read({ ...file, content, isOfPackage: hasDigest(content, digests.get(path)) });
      await read.catch((error: unknown) => (failure = { error }));
      if (failure !== null) break;
    }
  } catch {
    // A broken archive or a lost connection ends the reading: the files that it lacks are counted as unread.
  }
  if (failure !== null) throw (failure as { error: unknown }).error;
}

async function contentOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
