// The path that every call takes through the server, for all kinds of handlers.
import type { Endpoint } from "@strongroom/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { appendAudit } from "../audit/append.ts";
import { callEntry } from "../audit/entry.ts";
import type { AuditNote, RequestFacts } from "../audit/entry.ts";
import type { Actor } from "../authz/actor.ts";
import { requireStepUp } from "../authz/step-up.ts";
import { requireScope } from "../authz/token-scope.ts";
import { databaseRefusal } from "../db/database-error.ts";
import type { Kernel } from "../kernel.ts";
import { cookieOf, proofOf } from "./authenticate.ts";
import { createCall } from "./call.ts";
import type { TrackedCall } from "./call.ts";
import { clientAddress } from "./client-address.ts";
import { repeatKeyOf } from "./idempotency.ts";
import { asRefusal, sealed, validationRefusal } from "./problem.ts";
import { fixedFieldsOf } from "./read-only.ts";
import type { Refusal } from "./refuse.ts";
import { refuse } from "./refuse.ts";

/** Deeper nesting is never legitimate and could exhaust the stack. */
const DEEPEST = 40;

/** The limits on the parts of the request that a reply repeats. */
const MOST_NAMES = 20;

const LONGEST_NAME = 100;

export type Finish<E extends Endpoint> = (
  call: TrackedCall<E>,
  /** Sends an encoded JSON answer. */
  reply: (json: string) => void,
  raw: FastifyReply,
) => Promise<void>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Set by `route`. A route without this field is refused at start. */
    endpoint?: Endpoint;
  }
}

export function route<E extends Endpoint>(kernel: Kernel, endpoint: E, finish: Finish<E>): void {
  const refuseUnknown = partsCheck(endpoint);
  const handler = async (request: FastifyRequest, raw: FastifyReply): Promise<FastifyReply> => {
    const actor = await admit(kernel, endpoint, request);
    refuseUnknown(request);
    const call = createCall<E>({
      endpoint,
      ...parse(endpoint, request),
      visitor: actor,
      request: factsOf(request),
      lastEventId: request.headers["last-event-id"]?.toString().slice(0, 100) ?? null,
      signal: abortedWith(raw),
      cookie: (name) => cookieOf(request.headers.cookie, name),
      repeat: repeatKeyOf(endpoint, actor, request),
      fixedFields: fixedFieldsOf(endpoint, request.body),
      clock: kernel.clock,
    });
    try {
      await finish(
        call,
        (json) => {
          for (const [name, value] of call.headers) raw.header(name, value);
          raw
            .code(endpoint.status ?? 200)
            .type("application/json; charset=utf-8")
            .send(json);
        },
        raw,
      );
    } catch (error) {
      await recordRefusal(kernel, call, error);
      throw error;
    }
    return raw;
  };
  for (const url of [endpoint.path, ...(endpoint.aliases ?? [])]) {
    kernel.http.route({ method: endpoint.method, url, config: { endpoint }, handler });
  }
}

/** Streams that browsers open without the Authorization header. */
const WITHOUT_HEADERS: ReadonlySet<string> = new Set(["text/event-stream", "websocket"]);

/** Refuses calls while sealed, over the rate limit, without sign-in or with the wrong role, before the input is examined. */
async function admit(kernel: Kernel, endpoint: Endpoint, request: FastifyRequest): Promise<Actor | null> {
  if (kernel.keys.isSealed && endpoint.whileSealed !== true) {
    throw sealed();
  }
  await kernel.rateLimits.countClient(request);
  if (endpoint.needs === "public") {
    if (endpoint.method !== "GET") await kernel.rateLimits.countVisitor(request);
    return null;
  }
  const acceptsCookie = !(endpoint.reply instanceof z.ZodType) && WITHOUT_HEADERS.has(endpoint.reply.stream);
  const actor = await kernel.authenticator.current(proofOf(request, acceptsCookie));
  try {
    requireActivated(endpoint, actor);
    kernel.authority.require(endpoint.needs, actor);
    requireScope(endpoint, actor);
    if (endpoint.stepUp === true && actor !== null) requireStepUp(endpoint, actor, kernel.clock.now());
  } catch (error) {
    if (actor !== null) await recordForbidden(kernel, endpoint, request, actor, error);
    throw error;
  }
  if (actor !== null) {
    await kernel.rateLimits.countAccount(request, actor.token?.id ?? actor.id);
    await kernel.rateLimits.countPerson(request, endpoint, actor.id);
  }
  return actor;
}

function parse<E extends Endpoint>(endpoint: E, request: FastifyRequest) {
  const part = (name: "params" | "query" | "body") => {
    const schema = endpoint[name];
    if (schema === undefined) return undefined;
    if (!isStorable(request[name])) {
      if (name === "params") throw refuse(404, "thing.not-found", "Not found");
      throw refuse(400, "request.invalid", "The request contains an invalid character, or is nested too deeply.");
    }
    // Schemas of records drop `__proto__` instead of refusing it.
    const polluted = prototypePath(request[name]);
    if (polluted !== null) {
      const issue: z.core.$ZodIssue = { code: "unrecognized_keys", keys: ["__proto__"], path: polluted, message: "" };
      throw validationRefusal(name, new z.ZodError([issue]));
    }
    const parsed = schema.safeParse(request[name] ?? undefined);
    if (parsed.success) return parsed.data;
    // An invalid id gets the same reply as an unknown one.
    if (name === "params") throw refuse(404, "thing.not-found", "Not found");
    throw validationRefusal(name, parsed.error);
  };
  return { params: part("params"), query: part("query"), body: part("body") } as Pick<
    TrackedCall<E>,
    "params" | "query" | "body"
  >;
}

function abortedWith(raw: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.raw.once("close", () => {
    if (!raw.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** A call that the caller's role does not allow is recorded, whatever its body. */
async function recordForbidden(
  kernel: Kernel,
  endpoint: Endpoint,
  request: FastifyRequest,
  actor: Actor,
  error: unknown,
): Promise<void> {
  const refusal = asRefusal(error);
  if (refusal === null || endpoint.audit === "none" || databaseRefusal(error) !== null) return;
  const { id } = request.params as { id?: string };
  const isId = id !== undefined && /^[0-9a-f-]{36}$/i.test(id);
  const note: AuditNote = { result: "failure", reason: refusal.code, details: { path: endpoint.path } };
  if (isId && endpoint.thing !== undefined) note.target = { type: endpoint.thing, id };
  const entry = callEntry(endpoint.audit, actor, factsOf(request), note, kernel.clock.now());
  await kernel.database.transaction((tx) => appendAudit(tx, [entry]));
}

const factsOf = (request: FastifyRequest): RequestFacts => ({
  id: request.id,
  ip: clientAddress(request),
  agent: request.headers["user-agent"]?.slice(0, 300) ?? null,
});

/**
 * Refused attempts are recorded too. A database failure is not a decision about the caller, and after a failure at commit, the
 * effect may already be recorded as a success.
 */
async function recordRefusal(kernel: Kernel, call: TrackedCall, error: unknown): Promise<void> {
  const refusal = asRefusal(error);
  if (refusal === null || call.endpoint.audit === "none" || databaseRefusal(error) !== null) return;
  const entry = call.entry({ result: "failure", reason: refusal.code });
  await kernel.database.transaction((tx) => appendAudit(tx, [entry]));
}

/** INVARIANT: only calls that declare `whilePending` are open to pending users. Throws 403 `account.awaiting-activation`. */
export function requireActivated(endpoint: Pick<Endpoint, "whilePending">, actor: Actor | null): void {
  if (actor?.isPending !== true || endpoint.whilePending === true) return;
  throw refuse(
    403,
    "account.awaiting-activation",
    "Your account is waiting for activation. Until an administrator activates it, you can use your profile and your personal vault.",
  );
}

/** The names of an endpoint's query parameters. Throws if the schema does not name them, which would be a bug in the contract. */
function queryNames({ path, query }: Endpoint): string[] {
  let schema: z.core.$ZodType | undefined = query;
  while (schema instanceof z.ZodPipe) schema = schema.in;
  if (schema === undefined) return [];
  if (schema instanceof z.ZodObject && schema.def.catchall === undefined) return Object.keys(schema.shape);
  throw new Error(`the query of ${path} is not a plain z.object()`);
}

/** Throws 400 with the names of unknown parameters. */
function partsCheck(endpoint: Endpoint): (request: FastifyRequest) => void {
  const names = queryNames(endpoint);
  return ({ query, body }) => {
    if (endpoint.ignoresUnknownQuery !== true) {
      const unknown = Object.keys(query as object).filter((name) => !names.includes(name));
      if (unknown.length > 0) throw unknownParts("query parameter", unknown, names);
    }
    if (endpoint.body !== undefined || body === undefined || body === null) return;
    const fields = typeof body === "object" ? Object.keys(body) : ["body"];
    if (fields.length > 0) throw unknownParts("field", fields, []);
  };
}

function unknownParts(
  kind: "query parameter" | "field",
  unknown: readonly string[],
  known: readonly string[],
): Refusal {
  const named = unknown.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
  const errors = named.map((path) => ({ path, msg: `Unknown ${kind}` }));
  const takes = kind === "field" ? "This call accepts no body." : takenNames(known);
  return refuse(400, "request.invalid", `Unknown ${kind}: ${named.join(", ")}. ${takes}`, { errors });
}

const takenNames = (known: readonly string[]): string =>
  known.length === 0 ? "This call accepts no query parameters." : `This call accepts ${known.join(", ")}.`;

/** The path of the first object with an own field `__proto__`, or null. */
function prototypePath(value: unknown): string[] | null {
  if (value === null || typeof value !== "object") return null;
  if (Object.hasOwn(value, "__proto__")) return [];
  for (const [name, inner] of Object.entries(value)) {
    const path = prototypePath(inner);
    if (path !== null) return [name, ...path];
  }
  return null;
}

/** Whether every text in a parsed request, including field names, can be stored unchanged. */
function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (Array.isArray(value)) return depth < DEEPEST && value.every((each) => isStorable(each, depth + 1));
  if (value === null || typeof value !== "object") return true;
  if (depth >= DEEPEST) return false;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner, depth + 1));
}
