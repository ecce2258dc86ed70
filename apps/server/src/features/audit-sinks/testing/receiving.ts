// A web server that receives from sinks and sends configurable replies, and helpers that record entries to deliver.
import { listAuditSinks, readCheckpoint } from "@strongroom/contract";
import type { AuditSink } from "@strongroom/contract";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  lines: string[];
}

export interface Receiver {
  url: string;
  /** All requests, and those that were answered with 200. */
  all(): readonly Received[];
  taken(): readonly Received[];
  /** How many requests followed a redirect. */
  redirected(): number;
  /** Sets the statuses of the next replies. */
  answerNext(...statuses: number[]): void;
  forget(): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  let all: Received[] = [];
  let taken: Received[] = [];
  let redirected = 0;
  let next: number[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    if (request.url === "/elsewhere") redirected += 1;
    const status = next.shift() ?? 200;
    const received = { headers: request.headers, body, lines: body.split("\n").filter((line) => line !== "") };
    all.push(received);
    if (status === 200) taken.push(received);
    response.writeHead(status, { location: "/elsewhere" }).end();
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/in`,
    all: () => all,
    taken: () => taken,
    redirected: () => redirected,
    answerNext: (...statuses) => (next = statuses),
    forget: () => ([all, taken] = [[], []]),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Records this many entries in the same way as the product. */
export async function recordEntries(app: TestApp, count: number, at = new Date()): Promise<void> {
  for (let left = count; left > 0; left -= 500) {
    const entries = Array.from({ length: Math.min(left, 500) }, (_, number) =>
      systemEntry("credential.verified", "test", { details: { number }, reason: "a reason".repeat(4) }, at),
    );
    await app.database.transaction((tx) => appendAudit(tx, entries));
  }
}

export async function sinkNamed(app: TestApp, as: string, id: string): Promise<AuditSink> {
  const { body, text } = await app.call(listAuditSinks, { as });
  const found = body.sinks.find((sink) => sink.id === id);
  if (found === undefined) throw new Error(text);
  return found;
}

/** Waits until every entry is in the tree, as long as the sequencer makes progress. */
export const sequenced = (app: TestApp, as: string): Promise<void> =>
  whileMoving(async () => (await app.call(readCheckpoint, { as })).body.pending);

/** Waits until the sink has received all entries recorded before, as long as it makes progress. */
export async function allSent(app: TestApp, as: string, id: string): Promise<void> {
  await sequenced(app, as);
  await whileMoving(async () => (await sinkNamed(app, as, id)).status.behind_entries);
}

/** Waits until `left` returns zero; fails if the number does not change for a while. */
async function whileMoving(left: () => Promise<number>): Promise<void> {
  for (let before = Infinity; before > 0;) {
    before = await eventually(async () => {
      const now = await left();
      return now === 0 || now !== before ? now : null;
    });
  }
}
