// Binds a contract endpoint to its handler. The order is: authenticate, authorise, parse, run, record, commit, encode.
import type { Endpoint, ReplyInputOf } from "@strongroom/contract";
import { z } from "zod";
import { appendAudit } from "../audit/append.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Kernel } from "../kernel.ts";
import type { Call, TrackedCall } from "./call.ts";
import { hideAddresses } from "./hide-addresses.ts";
import { once } from "./idempotency.ts";
import type { Keep } from "./idempotency.ts";
import { checkFixedFields } from "./read-only.ts";
import { route } from "./route.ts";

/** Calls without an audit event only read; calls with an audit event run in the transaction of their entry. */
type Reach<E extends Endpoint> = E["audit"] extends "none" ? Db : Tx;

/** An endpoint with a JSON reply; `R` is the reply before encoding. */
export type JsonEndpoint<R> = Endpoint & { readonly reply: z.ZodType<unknown, R> };

/**
 * Binds an endpoint that works only in the database. INVARIANT: with an audit event, the effect and its entry commit
 * together, before the answer is sent; if the entry cannot be written, the call fails without an effect.
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
   * Runs `work` in a transaction that also contains the call's audit entry. May be called at most once per call. The reply from
   * `replyOf` is stored in the same transaction, for a repeat with the same Idempotency-Key. Without `replyOf`, the reply is
   * stored a moment later, and a repeat after a crash in between fails with `idempotency.answer-unknown`.
   */
  commit<T>(work: (tx: Tx) => Promise<T>, replyOf?: (result: T) => ReplyInputOf<E>): Promise<T>;
}

/**
 * Binds an endpoint whose slow work (network, hashing) must stay outside a transaction: the handler does that work first and
 * passes its changes to `call.commit`. INVARIANT: without a commit there is no answer.
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
    // Do not spread the object: `actor` must stay a getter.
    const stepped: SteppedCall<E> = Object.assign(Object.create(call) as Call<E>, { commit });
    const result = await handler(stepped, kernel.database.db);
    if (!isRecorded) throw new Error(`${endpoint.path} answered without recording ${endpoint.audit}`);
    return encode(kernel, call, result);
  };
  route(kernel, endpoint, async (call, reply) => {
    reply(await once(kernel, call, (keep) => inSteps(call, keep)));
  });
}

/**
 * Encodes a reply through its schema, which drops all other fields. Throws 400 when the body of a PUT would change a
 * read-only field.
 */
export function encode(
  kernel: Kernel,
  { endpoint, visitor, fixedFields }: Pick<TrackedCall, "endpoint" | "visitor" | "fixedFields">,
  result: unknown,
): string {
  if (!(endpoint.reply instanceof z.ZodType)) throw new Error(`${endpoint.path} answers a stream`);
  const encoded = endpoint.reply.parse(result);
  checkFixedFields(fixedFields, encoded);
  return JSON.stringify(hideAddresses(kernel, endpoint, visitor, encoded));
}

export type { Call, TrackedCall };
