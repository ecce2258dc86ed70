// Serves gateways with native SSH clients: authenticates the user, finds the account, and starts the session.
import { startPrivilegedSession } from "@strongroom/contract";
import type { AccountId } from "@strongroom/contract";
import { createAuthenticator } from "#features/sign-in/index.ts";
import { createTokenAuthenticator, isTokenText } from "#features/tokens/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { requireScope } from "#kernel/authz/token-scope.ts";
import { createCallLimits } from "#kernel/http/call-limits.ts";
import { createCall } from "#kernel/http/call.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { requireActivated } from "#kernel/http/route.ts";
import { newId } from "#kernel/id.ts";
import type { SessionContext } from "../session-context.ts";
import { openNativeSession } from "../start-session.ts";
import { findTicket } from "../sessions.store.ts";
import { hashOfTicket, isTicketText } from "../ticket-text.ts";
import { findTargets } from "./find-targets.ts";
import { createNativeSignIn } from "./native-sign-in.ts";
import type { KnownKey, NativeClient, NativeStep } from "./native-sign-in.ts";
import type { FoundTargets, TargetName } from "./find-targets.ts";

/** A ticket that was given as the password. The gateway redeems it when the client starts a program. */
export interface HeldTicket {
  ticket: string;
  sessionId: string;
  account: { id: string; name: string; username: string; host: string };
  userEmail: string;
}

export interface Justification {
  reason?: string;
  ticket?: string;
}

export interface NativeAccess {
  /** Null for a text that is not a valid API token. Throws a refusal for a valid token that may not connect. */
  byToken(text: string, client: NativeClient): Promise<Actor | null>;
  /** Null for a text that is not a valid ticket of this gateway. */
  byTicket(text: string, client: NativeClient): Promise<HeldTicket | null>;
  /** Whether a text has the form of an API token or a ticket, valid or not. */
  isTokenOrTicket(text: string): boolean;
  /** Throws a refusal, which is audited. */
  byPassword(email: string, password: string, client: NativeClient): Promise<SignInStep>;
  /** Null for a key that no active user has. Finding a key proves nothing: the client has to sign with it. */
  findKey(blob: Buffer): Promise<KnownKey | null>;
  /** The caller has verified the client's signature. Throws a refusal, which is audited. */
  byKey(key: KnownKey, client: NativeClient): Promise<SignInStep>;
  /** Completes a pending sign-in. Throws a refusal, which is audited. */
  bySecondStep(waiting: WaitingSignIn, code: string, client: NativeClient): Promise<Actor>;
  /** Ends the sign-in of a client that has disconnected. API tokens and tickets have none. */
  leave(actor: Actor, client: NativeClient): Promise<void>;
  findTargets(actor: Actor, name: TargetName): Promise<FoundTargets>;
  /** A session that the gateway opens immediately. Throws a refusal, which is audited. */
  start(actor: Actor, accountId: string, given: Justification, client: NativeClient): Promise<NativeStart>;
}

/** A signed-in user, or a sign-in that waits for a code; `reason` says why a code does not complete it. */
export type SignInStep =
  | { kind: "signed-in"; actor: Actor }
  | { kind: "second-step"; waiting: WaitingSignIn; takesCodes: boolean; reason: string };

/** A sign-in that waits for its second step. */
export interface WaitingSignIn {
  pending: string;
  key: KnownKey | null;
}

export interface NativeStart {
  sessionId: string;
  ticket: string;
}

/** `publicUrl` is the address of the web pages. */
export function createNativeAccess(context: SessionContext, gatewayId: string, publicUrl: string): NativeAccess {
  const { kernel } = context;
  const { database } = kernel;
  const signIn = createNativeSignIn({ ...kernel, publicUrl: () => publicUrl });
  const authenticate = createTokenAuthenticator(kernel, createAuthenticator(kernel, signIn.parts.tokens));
  const limits = createCallLimits(kernel.config.rateLimit, kernel.clock);
  /** How each actor authenticated: a connection can start programs for hours after its login. */
  const proofs = new WeakMap<Actor, { bearer: string; key: KnownKey | null }>();

  /** Throws a refusal when the token or session has ended, or may not be used from this address. */
  async function actorOf(bearer: string, { address }: NativeClient, key: KnownKey | null): Promise<Actor> {
    const actor = await authenticate({ bearer, streamCookie: null, isBackground: false, ip: address });
    if (actor === null) throw refuse(401, "session.ended", "Your session has ended. Connect again.");
    // INVARIANT: the sign-in of a key ends when the key expires; a removed key has deleted it already.
    if (key !== null && !(await isWorking(key))) {
      throw refuse(401, "session.ended", "Your SSH key has expired or was removed. Connect again.");
    }
    proofs.set(actor, { bearer, key });
    return actor;
  }

  /** INVARIANT: a user who waits for activation starts no sessions, so their sign-in ends immediately. */
  async function enter(bearer: string, client: NativeClient, key: KnownKey | null): Promise<Actor> {
    const actor = await actorOf(bearer, client, key);
    if (actor.isPending) await signIn.signOut(actor, client);
    requireActivated(startPrivilegedSession, actor);
    return actor;
  }

  async function isWorking({ blob, row }: KnownKey): Promise<boolean> {
    const current = await signIn.findKey(blob);
    return current?.row.id === row.id && current.row.expires_at > kernel.clock.now();
  }

  async function completed(step: NativeStep, client: NativeClient, key: KnownKey | null): Promise<SignInStep> {
    if (step.kind === "signed-in") return { kind: "signed-in", actor: await enter(step.token, client, key) };
    const { pending, takesCodes, reason } = step;
    return { kind: "second-step", takesCodes, reason, waiting: { pending, key } };
  }

  async function byToken(text: string, client: NativeClient): Promise<Actor | null> {
    if (!isTokenText(text)) return null;
    try {
      const actor = await actorOf(text, client, null);
      requireScope(startPrivilegedSession, actor);
      return actor;
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return null;
      throw error;
    }
  }

  /** INVARIANT: each session is started with what the sign-in or API token may do now. */
  async function authenticateAgain(actor: Actor, client: NativeClient): Promise<Actor> {
    const proof = proofs.get(actor);
    if (proof === undefined) throw refuse(401, "session.ended", "Your session has ended. Connect again.");
    if (!isTokenText(proof.bearer)) return actorOf(proof.bearer, client, proof.key);
    const current = await byToken(proof.bearer, client);
    if (current !== null) return current;
    throw refuse(401, "token.unknown", "Your API token has expired or was revoked. Connect again with another one.");
  }

  return {
    byToken,

    isTokenOrTicket: (text) => isTokenText(text) || isTicketText(text),

    async byPassword(email, password, client) {
      limits.countVisitor(client.address);
      return completed(await signIn.byPassword(email, password, client), client, null);
    },

    findKey: (blob) => signIn.findKey(blob),

    async byKey(key, client) {
      // Signatures cannot be guessed, and programs connect often.
      limits.countCall(client.address, key.row.id);
      return completed(await signIn.byKey(key, client), client, key);
    },

    async bySecondStep({ pending, key }, code, client) {
      limits.countVisitor(client.address);
      return enter(await signIn.bySecondStep(pending, code, client), client, key);
    },

    async leave(actor, client) {
      if (actor.token === null) await signIn.signOut(actor, client);
    },

    async byTicket(text, { address }) {
      if (!isTicketText(text)) return null;
      const found = await findTicket(database.db, { hash: hashOfTicket(text), gatewayId, sourceAddress: address });
      return found === null ? null : { ticket: text, ...found };
    },

    findTargets: (actor, name) => findTargets(context, database.db, actor, name),

    async start(known, accountId, given, client) {
      const { address, agent } = client;
      const actor = await authenticateAgain(known, client);
      limits.countCall(address, actor.token?.id ?? actor.id);
      const call = createCall<typeof startPrivilegedSession>({
        endpoint: startPrivilegedSession,
        params: { id: accountId as AccountId },
        query: undefined,
        body: { ...given, client: "native" },
        visitor: actor,
        request: { id: newId(), ip: address, agent },
        lastEventId: null,
        signal: new AbortController().signal,
        cookie: () => null,
        repeat: null,
        fixedFields: {},
        clock: kernel.clock,
      });
      const begin = call.mark();
      try {
        requireActivated(startPrivilegedSession, actor);
        requireScope(startPrivilegedSession, actor);
        return await database.transaction(async (tx) => {
          begin();
          const started = await openNativeSession(context, call, tx, gatewayId);
          await appendAudit(tx, [call.entry()]);
          return started;
        });
      } catch (error) {
        if (error instanceof Refusal) {
          const entry = call.entry({ result: "failure", reason: error.code });
          await database.transaction((tx) => appendAudit(tx, [entry]));
          if (error.code === "step-up.required") throw loginTooOld();
        }
        throw error;
      }
    },
  };
}

/** A native client cannot re-authenticate within its connection. */
const loginTooOld = () =>
  refuse(403, "step-up.required", "You logged in too long ago to start another session. Connect again.");
