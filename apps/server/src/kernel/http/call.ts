// One call on its way through the server: who makes it, what was sent, and what its audit entry will say.
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from "@strongroom/contract";
import type { AuditEntry } from "@strongroom/auditlog";
import type { Actor } from "../authz/actor.ts";
import { requireStepUp } from "../authz/step-up.ts";
import { callEntry } from "../audit/entry.ts";
import type { AuditNote, RequestFacts } from "../audit/entry.ts";
import type { Clock } from "../clock.ts";
import type { RepeatKey } from "./idempotency.ts";

export interface Call<E extends Endpoint = Endpoint> {
  readonly endpoint: E;
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** Who makes the call. Only to be read where the endpoint needs somebody; throws otherwise. */
  readonly actor: Actor;
  /** Null when nobody is signed in (public endpoints). */
  readonly visitor: Actor | null;
  readonly request: RequestFacts;
  /** `Last-Event-ID` of an event stream that resumes; null otherwise. */
  readonly lastEventId: string | null;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** The value of a cookie that the browser sent; null without one. It says nothing about who somebody is. */
  cookie(name: string): string | null;
  /**
   * Throws 403 `step-up.required` when the caller's last proof is too old, and for a token without the scope to give what
   * this call gives; see `Endpoint.stepUp`.
   */
  requireStepUp(): void;
  /** Adds to what the audit entry of this call says; later notes win. */
  note(note: AuditNote): void;
  /** Sets a reply header, such as `Set-Cookie`. */
  setHeader(name: string, value: string): void;
}

export interface TrackedCall<E extends Endpoint = Endpoint> extends Call<E> {
  /** The entry as the notes stand now. */
  entry(overrides?: AuditNote): AuditEntry;
  readonly headers: ReadonlyMap<string, string>;
  /** Takes notes and headers back to what they are now: for work that the database may begin anew. */
  mark(): () => void;
  /** Set when the call may be a repeat of an earlier one. */
  readonly repeat: RepeatKey | null;
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
