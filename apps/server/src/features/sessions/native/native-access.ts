// Serves gateways with native SSH clients: authenticates the user, finds the account, and starts the session.
import { startPrivilegedSession } from "@strongroom/contract";
import type { AccountId } from "@strongroom/contract";
import { createTokenAuthenticator, isTokenText } from "#features/tokens/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { requireScope } from "#kernel/authz/token-scope.ts";
import { createCall } from "#kernel/http/call.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { requireActivated } from "#kernel/http/route.ts";
import { newId } from "#kernel/id.ts";
import type { SessionContext } from "../session-context.ts";
import { openNativeSession } from "../start-session.ts";
import { findTicket } from "../sessions.store.ts";
import { hashOfTicket, isTicketText } from "../ticket-text.ts";
import { findTargets } from "./find-targets.ts";
import type { FoundTargets, TargetName } from "./find-targets.ts";

/** The client's address, and its software as it names itself. */
export interface NativeClient {
  address: string;
  agent: string;
}

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
  findTargets(actor: Actor, name: TargetName): Promise<FoundTargets>;
  /** A session that the gateway opens at once. Throws a refusal, which is audited. */
  start(actor: Actor, accountId: string, given: Justification, client: NativeClient): Promise<NativeStart>;
}

export interface NativeStart {
  sessionId: string;
  ticket: string;
}

export function createNativeAccess(context: SessionContext, gatewayId: string): NativeAccess {
  const { kernel } = context;
  const { database } = kernel;
  const authenticate = createTokenAuthenticator(kernel, async () => null);
  /** How each actor authenticated: a connection can start programs for hours after its login. */
  const tokens = new WeakMap<Actor, string>();

  async function byToken(text: string, { address }: NativeClient): Promise<Actor | null> {
    if (!isTokenText(text)) return null;
    try {
      const actor = await authenticate({ bearer: text, streamCookie: null, isBackground: false, ip: address });
      if (actor === null) return null;
      requireScope(startPrivilegedSession, actor);
      tokens.set(actor, text);
      return actor;
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return null;
      throw error;
    }
  }

  /** INVARIANT: each session is started with what the token may do now: its scopes, its networks, its user's role. */
  async function authenticateAgain(actor: Actor, client: NativeClient): Promise<Actor> {
    const token = tokens.get(actor);
    if (token === undefined) return actor;
    const current = await byToken(token, client);
    if (current !== null) return current;
    throw refuse(401, "token.unknown", "Your API token has expired or was revoked. Connect again with another one.");
  }

  return {
    byToken,

    async byTicket(text, { address }) {
      if (!isTicketText(text)) return null;
      const found = await findTicket(database.db, { hash: hashOfTicket(text), gatewayId, sourceAddress: address });
      return found === null ? null : { ticket: text, ...found };
    },

    findTargets: (actor, name) => findTargets(context, database.db, actor, name),

    async start(known, accountId, given, client) {
      const { address, agent } = client;
      const actor = await authenticateAgain(known, client);
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
        }
        throw error;
      }
    },
  };
}
