// Binds an endpoint whose concurrent calls share one transaction and one flush.
import type { Endpoint } from "@strongroom/contract";
import { appendAudit } from "../audit/append.ts";
import type { Tx } from "../db/database.ts";
import { gather } from "../gather.ts";
import type { Kernel } from "../kernel.ts";
import type { Call, TrackedCall } from "./call.ts";
import { encode } from "./implement.ts";
import type { JsonEndpoint } from "./implement.ts";
import { Refusal } from "./refuse.ts";
import { route } from "./route.ts";

const MOST_AT_ONCE = 128;
const SECOND_GROUP_AT = 8;

/**
 * The handler answers every call of a group in order, with a reply or with that call's refusal. Its first statement is
 * pipelined with `begin`, see `pipelinedTransaction`.
 * INVARIANT: no answer leaves before the audit entries of its group are committed.
 */
export function implementGrouped<E extends Endpoint, R>(
  kernel: Kernel,
  endpoint: E & JsonEndpoint<R>,
  handler: (calls: readonly Call<E>[], tx: Tx) => Promise<(R | Refusal)[]>,
): void {
  const answerGroup = (calls: readonly TrackedCall<E>[]) =>
    kernel.database.pipelinedTransaction(async (tx) => {
      const answers = await handler(calls, tx);
      const granted = calls.filter((_, index) => !(answers[index] instanceof Refusal));
      const entries = granted.map((call) => call.entry());
      await appendAudit(tx, entries);
      return answers;
    });
  const run = gather<TrackedCall<E>, R | Refusal>(MOST_AT_ONCE, answerGroup, SECOND_GROUP_AT);
  route(kernel, endpoint, async (call, reply) => {
    const answer = await run(call);
    if (answer instanceof Refusal) throw answer;
    reply(encode(kernel, call, answer));
  });
}
