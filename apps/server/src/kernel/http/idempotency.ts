// A POST with an Idempotency-Key runs once, and a repeat gets the first answer
// (draft-ietf-httpapi-idempotency-key-header).
import type { Endpoint } from "@strongroom/contract";
import { Secret, fingerprint } from "@strongroom/keys";
import type { FastifyRequest } from "fastify";
import type { Actor } from "../authz/actor.ts";
import type { Tx } from "../db/database.ts";
import type { Kernel } from "../kernel.ts";
import type { TrackedCall } from "./call.ts";
import { claimKey, fillAnswer, forgetAnswers, keepAnswer, readKept, releaseKey } from "./kept-answers.ts";
import type { RepeatKey } from "./kept-answers.ts";
import { refuse } from "./refuse.ts";
import type { Refusal } from "./refuse.ts";

/** Visible ASCII without spaces. Keys are compared as sent, including quotes. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Whether a call accepts an Idempotency-Key. */
export const takesKey = ({ method, needs, audit, repliesSecret }: Endpoint): boolean =>
  method === "POST" && needs !== "public" && audit !== "none" && repliesSecret !== true;

/**
 * Null if no key was sent, the caller is anonymous, or the call changes nothing. Throws 400 for an invalid key, and for a call
 * whose answer contains a secret, because that answer is never stored and so cannot be repeated.
 */
export function repeatKeyOf(endpoint: Endpoint, actor: Actor | null, request: FastifyRequest): RepeatKey | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined || actor === null) return null;
  if (endpoint.repliesSecret === true) {
    const message = "Responses to this call are never stored, so it does not accept an Idempotency-Key.";
    throw refuse(400, "idempotency.secret-reply", message);
  }
  if (!takesKey(endpoint)) return null;
  if (typeof key !== "string" || !KEY.test(key)) {
    throw refuse(400, "idempotency.key-invalid", "An Idempotency-Key is 1 to 255 visible ASCII characters.");
  }
  // A token never gets an answer meant for its owner's session or for a different token.
  const by = actor.token === null ? [] : [actor.token.id];
  return { owner: actor.id, key, request: JSON.stringify([request.method, request.url, request.body, ...by]) };
}

/** Stores the answer in the transaction of the effect. Without an answer, stores only that there was an effect. */
export type Keep = (tx: Tx, answer?: string) => Promise<void>;

/**
 * Runs `work` unless it ran before, and returns the encoded answer; a repeat gets the first answer. INVARIANT: of all requests
 * with the same key, only one has an effect, because a second `keep` fails and rolls back its transaction. A refused request is
 * not stored: the next request with its key runs again.
 */
export async function once(kernel: Kernel, call: TrackedCall, work: (keep: Keep) => Promise<string>): Promise<string> {
  if (call.repeat === null) return work(async () => {});
  const claim = await takeUp(kernel, call.repeat);
  if ("answer" in claim) {
    call.setHeader("idempotency-replayed", "true");
    return claim.answer;
  }
  let kept: string | null = null;
  const keep: Keep = async (tx, answer) => {
    if (!(await keepAnswer(tx, claim.id, answer ?? null))) throw underWay();
    kept = answer ?? null;
  };
  const { database, log } = kernel;
  /** Failures are only logged, because the effect is already committed. */
  const tidy = (what: (tx: Tx) => Promise<void>) =>
    database
      .transaction(what)
      .catch((error: unknown) =>
        log.warn({ err: error }, "an idempotency key could not be updated; a repeat may be refused"),
      );
  try {
    const answer = await work(keep);
    if (kept !== answer) await tidy((tx) => fillAnswer(tx, claim.id, answer));
    return answer;
  } catch (error) {
    await tidy((tx) => releaseKey(tx, claim.id));
    throw error;
  }
}

async function takeUp(kernel: Kernel, repeat: RepeatKey): Promise<{ id: string } | { answer: string }> {
  const mark = await fingerprintOf(kernel, repeat.request);
  const id = await kernel.database.transaction((tx) => claimKey(tx, repeat, mark));
  if (id !== null) return { id };
  const kept = await readKept(kernel.database.db, repeat);
  // Null if the request was just refused, so that the key is free again.
  if (kept === null) throw underWay();
  if (kept.fingerprint !== mark) {
    const message = "This Idempotency-Key was used for another request. A new request needs a new key.";
    throw refuse(422, "idempotency.other-request", message);
  }
  if (!kept.is_done) throw underWay(kept);
  if (kept.reply === null) {
    const message = "This request ran, but its response is not known. Check its effect before you repeat it.";
    throw refuse(409, "idempotency.answer-unknown", message);
  }
  return { answer: kept.reply };
}

/**
 * In seconds, longer than nearly all calls take. After this time, the outcome may be unknown, and the key stays claimed until its
 * lease ends.
 */
const USUALLY_DONE = 10;

function underWay({ age, free_in: freeIn }: { age: number; free_in: number } = { age: 0, free_in: 1 }): Refusal {
  if (age < USUALLY_DONE) {
    const message = "A request with this Idempotency-Key is running. Try again in a moment.";
    return refuse(409, "idempotency.under-way", message, { retryAfter: 1 });
  }
  const seconds = Math.max(1, freeIn);
  const message = `A request with this Idempotency-Key did not finish, and its outcome is unknown. Repeat it with the same key in ${seconds} s.`;
  return refuse(409, "idempotency.under-way", message, { retryAfter: seconds });
}

async function fingerprintOf(kernel: Kernel, request: string): Promise<string> {
  const kek = await kernel.keys.kekFor("fingerprint");
  using sent = Secret.fromText(`idempotency:${request}`);
  return fingerprint(kek, sent);
}

/** Every hour, deletes answers older than a day. */
export function forgetOldAnswers({ jobs, database }: Kernel): void {
  jobs.define("idempotency.forget", { schedule: "23 * * * *", policy: "exclusive" }, () =>
    database.transaction(forgetAnswers),
  );
}
