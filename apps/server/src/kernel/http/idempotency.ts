// A POST that carries an Idempotency-Key is carried out once, and a repeat of it gets the first one's answer
// (draft-ietf-httpapi-idempotency-key-header).
import type { Endpoint, UserId } from "@strongroom/contract";
import { Secret, fingerprint } from "@strongroom/keys";
import type { FastifyRequest } from "fastify";
import type { Actor } from "../authz/actor.ts";
import type { Tx } from "../db/database.ts";
import type { Kernel } from "../kernel.ts";
import type { TrackedCall } from "./call.ts";
import { claimKey, fillAnswer, forgetAnswers, keepAnswer, readKept, releaseKey } from "./kept-answers.ts";
import { refuse } from "./refuse.ts";

/** What makes two requests the same one. */
export interface RepeatKey {
  owner: UserId;
  key: string;
  /** Method, address and body as they were sent, so it may hold a secret: only its fingerprint is stored. */
  request: string;
}

/** Visible ASCII without spaces; compared as it was sent, with its quotes if it has any. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Whether a call may be sent again with a key and is then carried out once. */
export const takesKey = ({ method, needs, audit, repliesSecret }: Endpoint): boolean =>
  method === "POST" && needs !== "public" && audit !== "none" && repliesSecret !== true;

/**
 * Null where a repeat needs no help: no key was sent, nobody is signed in, or the call changes nothing. Throws 400 for a
 * key that is none, and for a call whose answer carries a secret: that is never kept, so it cannot be given again.
 */
export function repeatKeyOf(endpoint: Endpoint, actor: Actor | null, request: FastifyRequest): RepeatKey | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined || actor === null) return null;
  if (endpoint.repliesSecret === true) {
    const message = "The answer to this call is never kept, so it takes no Idempotency-Key.";
    throw refuse(400, "idempotency.secret-reply", message);
  }
  if (!takesKey(endpoint)) return null;
  if (typeof key !== "string" || !KEY.test(key)) {
    throw refuse(400, "idempotency.key-invalid", "An Idempotency-Key is 1 to 255 visible ASCII characters.");
  }
  // A token gets no answer that its holder's session or another token was given.
  const by = actor.token === null ? [] : [actor.token.id];
  return { owner: actor.id, key, request: JSON.stringify([request.method, request.url, request.body, ...by]) };
}

/** Puts the answer beside the effect, in its transaction; without an answer, only that there was an effect. */
export type Keep = (tx: Tx, answer?: string) => Promise<void>;

/**
 * Does `work` unless it was done before, and returns the encoded answer, the first one's for a repeat. INVARIANT: of all
 * requests with the same key, one has an effect: a second `keep` fails, and takes its transaction with it. A refused request is
 * not kept: the next one with its key is tried anew.
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
  /** What happened has happened, whether this works or not. */
  const tidy = (what: (tx: Tx) => Promise<void>) =>
    database.transaction(what).catch((error: unknown) => log.warn({ err: error }, "a repeated request may be refused"));
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
  // Null: refused this very moment, and so free again.
  if (kept === null) throw underWay();
  if (kept.fingerprint !== mark) {
    const message = "This Idempotency-Key was used for another request. A new request needs a new key.";
    throw refuse(422, "idempotency.other-request", message);
  }
  if (!kept.is_done) throw underWay();
  if (kept.reply === null) {
    const message =
      "This request was carried out, but its answer is not known. Look at what is there before you repeat it.";
    throw refuse(409, "idempotency.answer-unknown", message);
  }
  return { answer: kept.reply };
}

const underWay = () =>
  refuse(409, "idempotency.under-way", "A request with this Idempotency-Key is under way. Try again in a moment.", {
    retryAfter: 1,
  });

async function fingerprintOf(kernel: Kernel, request: string): Promise<string> {
  const kek = await kernel.keys.kekFor("fingerprint");
  using sent = Secret.fromText(`idempotency:${request}`);
  return fingerprint(kek, sent);
}

/** Removes what is older than a day, every hour. */
export function forgetOldAnswers({ jobs, database }: Kernel): void {
  jobs.define("idempotency.forget", { schedule: "23 * * * *", policy: "exclusive" }, () =>
    database.transaction(forgetAnswers),
  );
}
