// The definition of one call: its input, its reply, its permission and its audit event.
import type { z } from "zod";
import { isComplete } from "./complete-body.ts";
import type { Permission } from "./permission.ts";
import { Scope } from "./token-scopes.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `public`: needs no sign-in. `signed-in`: any user, for their own objects. Otherwise a named permission. */
export type Needs = "public" | "signed-in" | Permission;

/** An audit event, `<feature>.<past participle>`, or the explicit `none` for calls that change and reveal nothing. */
export type AuditEvent = "none" | `${string}.${string}`;

/**
 * The effect of the call for users other than the caller: access to a stored secret or the audit trail (`secret`), or
 * a permission, an account or a token (`right`). Values that the caller supplies, such as the password of a new
 * account, and results that only the caller receives do not count.
 */
export type Gives = "nothing" | "secret" | "right";

/** A reply that is not JSON (an event stream, a download). The only way around the reply schema. */
export interface StreamReply {
  stream: string;
}

export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType | StreamReply = z.ZodType | StreamReply,
  Audit extends AuditEvent = AuditEvent,
> {
  readonly method: Method;
  /** Full path with `:name` for each key of `params`. */
  readonly path: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly reply: Reply;
  /** The status of success; default 200. */
  readonly status?: 200 | 201 | 202;
  readonly needs: Needs;
  /**
   * The scope that an API token needs for this call, where the permission's own name would be too broad. A call that
   * only needs a sign-in accepts no token unless this is set. See `scopeOf`.
   */
  readonly scope?: Scope;
  /** No API token can make this call, whatever its scopes, because the call controls users' sign-in or permissions. */
  readonly sessionOnly?: true;
  readonly audit: Audit;
  /** The kind of object that `:id` names, as in audit entries; for calls that a role may be refused. */
  readonly thing?: string;
  /** The reply contains a secret: it is never stored for a repeat, so the call accepts no Idempotency-Key. */
  readonly repliesSecret?: true;
  /** Required unless the method is GET. */
  readonly gives?: Gives;
  /**
   * Needs the caller's re-authentication within the interval of the sign-in policy (`step-up.required`).
   * `when-giving`: only for inputs that give others access; the handler checks, and `given-access.test.ts` has a case for
   * it.
   */
  readonly stepUp?: true | "when-giving";
  /**
   * The scope that an API token needs for what this call gives. Without it, only a signed-in person can make the call.
   */
  readonly givesByToken?: Scope;
  /** The limit of calls per minute for each user, including their API tokens. */
  readonly perMinute?: number;
  /**
   * Open to users who are waiting for activation; other calls refuse them, whatever their role allows. Only for calls
   * on their own data that reach no target and show nothing about anyone else.
   */
  readonly whilePending?: true;
  /** Answered even while the vault is sealed. */
  readonly whileSealed?: true;
  /** Unknown query parameters are ignored instead of refused: load balancers and monitors add their own. */
  readonly ignoresUnknownQuery?: true;
  /** Other paths of the same call. */
  readonly aliases?: readonly string[];
}

/**
 * INVARIANT: a call that can give other people access requires re-authentication; otherwise it does not compile.
 */
type Effect =
  | { readonly method: "GET"; readonly gives?: undefined; readonly stepUp?: true; readonly givesByToken?: undefined }
  | {
      readonly method: Exclude<Method, "GET">;
      readonly gives: "nothing";
      readonly stepUp?: true;
      readonly givesByToken?: undefined;
    }
  | {
      readonly method: Exclude<Method, "GET">;
      readonly gives: Exclude<Gives, "nothing">;
      readonly stepUp: true | "when-giving";
      readonly givesByToken?: Scope;
    };

/**
 * Declares a call. `needs`, `audit` and `gives` are required: a call without them does not compile. Throws for a PUT
 * whose body is not a `completeBody`, because such a PUT would reset omitted fields.
 */
export function endpoint<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType | StreamReply,
  const Audit extends AuditEvent,
>(definition: Endpoint<Params, Query, Body, Reply, Audit> & Effect): Endpoint<Params, Query, Body, Reply, Audit> {
  if (definition.method === "PUT" && (definition.body === undefined || !isComplete(definition.body))) {
    throw new Error(`the body of PUT ${definition.path} is not a completeBody()`);
  }
  return definition;
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type Given<T> = T extends z.ZodType ? z.input<T> : undefined;

/** The input of the server's handler. A part that the endpoint does not declare is `unknown`. */
export type ParamsOf<E extends Endpoint> = Parsed<NonNullable<E["params"]>>;
export type QueryOf<E extends Endpoint> = Parsed<NonNullable<E["query"]>>;
export type BodyOf<E extends Endpoint> = Parsed<NonNullable<E["body"]>>;
export type ReplyOf<E extends Endpoint> = E["reply"] extends z.ZodType ? z.output<E["reply"]> : never;

/** The return value of a handler: the reply before it is encoded through the schema. */
export type ReplyInputOf<E extends Endpoint> = E["reply"] extends z.ZodType ? z.input<E["reply"]> : never;

/** The input of a caller: only the declared parts, in their encoded form. */
export interface InputOf<E extends Endpoint> {
  params?: Given<NonNullable<E["params"]>>;
  query?: Given<NonNullable<E["query"]>>;
  body?: Given<NonNullable<E["body"]>>;
}

/** Fills the `:name` parameters of a path. Throws when one is missing: a bug in the caller. */
export function pathOf(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const given = params[name];
    const value = typeof given === "number" ? String(given) : given;
    if (typeof value !== "string" || value === "") throw new Error(`path ${path} needs ${name}`);
    return encodeURIComponent(value);
  });
}

type Scoped = Pick<Endpoint, "needs" | "scope" | "sessionOnly" | "gives" | "stepUp" | "givesByToken">;

/** The scope that a token needs for a call; null when only a signed-in person, and no token, can make the call. */
export function scopeOf(endpoint: Scoped): Scope | null {
  if (endpoint.sessionOnly === true) return null;
  if (givesAlways(endpoint) && endpoint.givesByToken === undefined) return null;
  if (endpoint.scope !== undefined) return endpoint.scope;
  return Scope.safeParse(endpoint.needs).data ?? null;
}

/** Whether the call gives other people access, whatever its input. */
export const givesAlways = ({ gives, stepUp }: Pick<Endpoint, "gives" | "stepUp">): boolean =>
  gives !== undefined && gives !== "nothing" && stepUp === true;
