// Calls whose answer is not JSON: event streams and downloads. This is the only way around the reply schema.
import type { Endpoint, StreamReply } from "@strongroom/contract";
import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";
import { appendAudit } from "../audit/append.ts";
import type { Db } from "../db/database.ts";
import type { Kernel } from "../kernel.ts";
import type { Call } from "./call.ts";
import { route } from "./route.ts";

type StreamEndpoint = Endpoint & { reply: StreamReply };

export interface Download {
  body: Readable;
  fileName: string;
  /** The media type, if the call supports several. */
  type?: string;
}

/** Binds a download. INVARIANT: its audit entry is committed before the first byte leaves. */
export function implementDownload<E extends StreamEndpoint>(
  kernel: Kernel,
  endpoint: E,
  handler: (call: Call<E>, db: Db) => Promise<Download>,
): void {
  route(kernel, endpoint, async (call, _reply, raw) => {
    const { body, fileName, type = endpoint.reply.stream } = await handler(call, kernel.database.db);
    const started = await begin(body);
    if (endpoint.audit !== "none") await kernel.database.transaction((tx) => appendAudit(tx, [call.entry()]));
    raw
      .type(isText(type) ? `${type}; charset=utf-8` : type)
      .header("content-disposition", `attachment; filename="${fileName.replace(/[^\w.-]/g, "-")}"`)
      .send(started);
  });
}

/** Small downloads are read completely before anything is sent. */
const READ_FIRST_BYTES = 65_536;

/**
 * Reads the first bytes ahead and then yields the same bytes, because a reply that has begun can no longer report a
 * failed read with its status.
 */
async function begin(body: Readable): Promise<Readable> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>;
  const read: (Buffer | string)[] = [];
  let length = 0;
  let isComplete = false;
  while (length < READ_FIRST_BYTES && !isComplete) {
    const next = await pieces.next();
    isComplete = next.done === true;
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
  }
  async function* all() {
    yield* read;
    if (!isComplete) yield* { [Symbol.asyncIterator]: () => pieces };
  }
  return Readable.from(all(), { objectMode: false });
}

const isText = (type: string): boolean => /^text\/|json/.test(type);

/** Binds an event stream; `serve` owns the connection until it closes. */
export function implementEventStream<E extends StreamEndpoint>(
  kernel: Kernel,
  endpoint: E,
  serve: (call: Call<E>, raw: FastifyReply) => Promise<void>,
): void {
  route(kernel, endpoint, async (call, _reply, raw) => {
    raw.hijack();
    await serve(call, raw);
  });
}

export interface PlainAnswer {
  status: number;
  type: string;
  text: string;
}

/** Binds a call of an external protocol, which defines the status and the text. The handler records its own audit entries. */
export function implementPlain<E extends StreamEndpoint & { audit: "none" }>(
  kernel: Kernel,
  endpoint: E,
  handler: (call: Call<E>) => Promise<PlainAnswer>,
): void {
  route(kernel, endpoint, async (call, _reply, raw) => {
    const { status, type, text } = await handler(call);
    raw.code(status).type(type).send(text);
  });
}
