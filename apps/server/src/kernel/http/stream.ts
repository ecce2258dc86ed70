// Calls whose answer is not JSON: event streams and downloads. The only door around the reply schema, and it has a name.
import type { Endpoint, StreamReply } from "@strongroom/contract";
import type { FastifyReply } from "fastify";
import type { Readable } from "node:stream";
import { appendAudit } from "../audit/append.ts";
import type { Db } from "../db/database.ts";
import type { Kernel } from "../kernel.ts";
import type { Call } from "./call.ts";
import { route } from "./route.ts";

type StreamEndpoint = Endpoint & { reply: StreamReply };

export interface Download {
  body: Readable;
  fileName: string;
  /** The media type, where the call can answer in several. */
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
    if (endpoint.audit !== "none") await kernel.database.transaction((tx) => appendAudit(tx, [call.entry()]));
    raw
      .type(isText(type) ? `${type}; charset=utf-8` : type)
      .header("content-disposition", `attachment; filename="${fileName.replace(/[^\w.-]/g, "-")}"`)
      .send(body);
  });
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

/** Binds a call of a protocol from elsewhere, which says what its statuses and its text are. It records what it does itself. */
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
