// A call in progress: its caller, its input, and the content of its audit entry.
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from "@strongroom/contract";
import type { AuditEntry } from "@strongroom/auditlog";
import type { Actor } from "../authz/actor.ts";
import { requireStepUp } from "../authz/step-up.ts";
import { callEntry } from "../audit/entry.ts";
import type { AuditNote, RequestFacts } from "../audit/entry.ts";
import type { Clock } from "../clock.ts";
import type { RepeatKey } from "./kept-answers.ts";

export interface Call<E extends Endpoint = Endpoint> {
  readonly endpoint: E;
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** The caller. Throws on endpoints that do not require a signed-in caller. */
  readonly actor: Actor;
  /** The caller, or null for an anonymous call to a public endpoint. */
  readonly visitor: Actor | null;
  readonly request: RequestFacts;
  /** The `Last-Event-ID` of an event stream that resumes; otherwise null. */
  readonly lastEventId: string | null;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** The value of a cookie from the browser; null without one. It does not authenticate the caller. */
  cookie(name: string): string | null;
  /**
   * Throws 403 `step-up.required` if the caller's last authentication is too old, and 403 for a token without the scope to give
   * access to others; see `Endpoint.stepUp`.
   */
  requireStepUp(): void;
  /** Adds fields to the audit entry of this call. Later notes override earlier ones. */
  note(note: AuditNote): void;
  /** Sets a reply header, such as `Set-Cookie`. */
  setHeader(name: string, value: string): void;
}

export interface TrackedCall<E extends Endpoint = Endpoint> extends Call<E> {
  /** The audit entry with the current notes. */
  entry(overrides?: AuditNote): AuditEntry;
  readonly headers: ReadonlyMap<string, string>;
  /** Returns a function that restores the current notes and headers, for work that the database may retry. */
  mark(): () => void;
  /** Set if the request has an Idempotency-Key. */
  readonly repeat: RepeatKey | null;
  /** Fields of the body that the reply must agree with; see `checkFixedFields`. */
  readonly fixedFields: Readonly<Record<string, unknown>>;
}

interface Parts<E extends Endpoint> {
  endpoint: E;
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  visitor: Actor | null;
  request: RequestFacts;
  lastEventId: string | null;
  signal: AbortSignal;
  cookie: (name: string) => string | null;
  repeat: RepeatKey | null;
  fixedFields: Readonly<Record<string, unknown>>;
  clock: Clock;
}

export function createCall<E extends Endpoint>(parts: Parts<E>): TrackedCall<E> {
  const { clock, ...shown } = parts;
  let notes: AuditNote = {};
  let headers = new Map<string, string>();
  return {
    ...shown,
    get headers() {
      return headers;
    },
    mark() {
      const [noted, set] = [notes, [...headers]];
      return () => {
        notes = noted;
        headers = new Map(set);
      };
    },
    get actor() {
      if (parts.visitor === null) throw new Error(`${parts.endpoint.path} has no actor`);
      return parts.visitor;
    },
    requireStepUp() {
      if (parts.visitor !== null) requireStepUp(parts.endpoint, parts.visitor, clock.now());
    },
    note(note) {
      notes = { ...notes, ...note };
    },
    setHeader(name, value) {
      headers.set(name, value);
    },
    entry: (overrides = {}) =>
      callEntry(parts.endpoint.audit, parts.visitor, parts.request, { ...notes, ...overrides }, clock.now()),
  };
}

/** The parts of a call that a use case needs, so that another feature can run it in its own transaction. */
export type CallInput<E extends Endpoint> = Pick<Call<E>, "actor" | "params" | "body" | "note">;
