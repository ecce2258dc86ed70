// Binds a contract endpoint to its handler: authenticate, authorise, parse, run, record, commit, encode. In that order.
import type { Endpoint, ReplyInputOf } from "@strongroom/contract";
import { z } from "zod";
import { appendAudit } from "../audit/append.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Kernel } from "../kernel.ts";
import type { Call, TrackedCall } from "./call.ts";
import { hideAddresses } from "./hide-addresses.ts";
import { once } from "./idempotency.ts";
import type { Keep } from "./idempotency.ts";
import { route } from "./route.ts";

/** A call that records nothing reads; a call with an audit event runs in the transaction of its entry. */
type Reach<E extends Endpoint> = E["audit"] extends "none" ? Db : Tx;

/** An endpoint that answers JSON; `R` is its reply before it is encoded. */
export type JsonEndpoint<R> = Endpoint & { readonly reply: z.ZodType<unknown, R> };

/**
 * Binds an endpoint whose work is all in the database. INVARIANT: with an audit event, the effect and its entry commit
 * together, before the answer is sent; if the entry can't be written, the call fails and nothing has happened.
 */
export function implement<E extends Endpoint, R>(
  kernel: Kernel,
  endpoint: E & JsonEndpoint<R>,
  handler: (call: Call<E>, db: Reach<E>) => Promise<R>,
): void {
  route(kernel, endpoint, async (call, reply) => {
    if (endpoint.audit === "none") {
      return reply(encode(kernel, call, await handler(call, kernel.database.db as Reach<E>)));
    }
    const begin = call.mark();
    const answer = await once(kernel, call, (keep) =>
      kernel.database.transaction(async (tx) => {
        begin();
        const result = encode(kernel, call, await handler(call, tx));
        await appendAudit(tx, [call.entry()]);
        await keep(tx, result);
        return result;
      }),
    );
    reply(answer);
  });
}

export interface SteppedCall<E extends Endpoint> extends Call<E> {
  /**
   * Runs `work` in a transaction that also holds the call's audit entry. At most once for each call. What `replyOf` makes
   * of its result is stored there too, for a repeat with the same Idempotency-Key; without it, the reply is stored a moment
   * later, and a repeat after a crash in between is told that the answer is not known.
   */
  commit<T>(work: (tx: Tx) => Promise<T>, replyOf?: (result: T) => ReplyInputOf<E>): Promise<T>;
}

/**
 * Binds an endpoint with slow work (network, hashing) that must stay outside a transaction: the handler does it, and
 * passes what it changes to `call.commit`. INVARIANT: without a commit nothing is answered.
 */
export function implementInSteps<E extends Endpoint, R>(
  kernel: Kernel,
  endpoint: E & JsonEndpoint<R>,
  handler: (call: SteppedCall<E>, db: Db) => Promise<R>,
): void {
  const inSteps = async (call: TrackedCall<E>, keep: Keep): Promise<string> => {
    let isRecorded = endpoint.audit === "none";
    const commit: SteppedCall<E>["commit"] = (work, replyOf) => {
      const begin = call.mark();
      return kernel.database.transaction(async (tx) => {
        begin();
        const result = await work(tx);
        await appendAudit(tx, [call.entry()]);
        await keep(tx, replyOf === undefined ? undefined : encode(kernel, call, replyOf(result)));
        isRecorded = true;
        return result;
      });
    };
    // Not a spread: `actor` must stay a getter.
    const stepped: SteppedCall<E> = Object.assign(Object.create(call) as Call<E>, { commit });
    const result = await handler(stepped, kernel.database.db);
    if (!isRecorded) throw new Error(`${endpoint.path} answered without recording ${endpoint.audit}`);
    return encode(kernel, call, result);
  };
  route(kernel, endpoint, async (call, reply) => {
    reply(await once(kernel, call, (keep) => inSteps(call, keep)));
  });
}

/** Encodes a reply through its schema: what the schema does not name does not leave. */
export function encode(
  kernel: Kernel,
  { endpoint, visitor }: Pick<TrackedCall, "endpoint" | "visitor">,
  result: unknown,
): string {
  if (!(endpoint.reply instanceof z.ZodType)) throw new Error(`${endpoint.path} answers a stream`);
  return JSON.stringify(hideAddresses(kernel, endpoint, visitor, endpoint.reply.parse(result)));
}

export type { Call, TrackedCall };
