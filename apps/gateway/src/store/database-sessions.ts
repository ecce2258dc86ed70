// The sessions of this gateway in the database. The server's feature `sessions` decides and audits.
import { nameOf, type NetworkPolicy } from "@strongroom/connectors";
import { Secret } from "@strongroom/keys";
import {
  beatGateway,
  endSession,
  forgetLoginFailures,
  noteTraffic,
  raiseRisk,
  recordLoginFailure,
  recheckSessions,
  redeemTicket,
  registerGateway,
} from "@strongroom/server/features/sessions/index.ts";
import type {
  GatewayFacts,
  LoginAttempt,
  OpenedSession,
  SessionContext,
} from "@strongroom/server/features/sessions/index.ts";
import { loginTargetOf } from "@strongroom/server/features/verification/index.ts";
import { Refusal } from "@strongroom/server/kernel/http/refuse.ts";
import type { Opening, Program, Progress, SessionStore, Ticket, Upstream } from "#gateway/core/ports.ts";
import { systemTimerClock } from "#gateway/core/clock.ts";
import { LoginGate } from "#gateway/core/login-gate.ts";
import { connectTarget, type FailedLogin } from "#gateway/ssh/upstream.ts";

export interface DatabaseSessionsOptions {
  context: SessionContext;
  gateway: GatewayFacts;
  network: NetworkPolicy;
}

const LOGIN_WITHIN_MS = 20_000;

const NOT_OPENED = "The gateway could not open this session. Try again; if it fails again, tell an administrator.";
const TARGET_BUSY = "Several logins on this target failed or are still waiting. Try again in half a minute.";
const OTHER_KIND = "This ticket is for another kind of connection. Connect again.";

/** INVARIANT: a rejected secret is recorded before its session ends, so that the next ticket does not send it again. */
async function noteLogin(
  context: SessionContext,
  attempt: LoginAttempt,
  result: { upstream: Upstream } | FailedLogin,
): Promise<void> {
  if ("upstream" in result) await forgetLoginFailures(context.kernel.database.db, attempt.account.id);
  else if (result.isRejected) await recordLoginFailure(context, attempt);
}

export function databaseSessions({ context, gateway, network }: DatabaseSessionsOptions): SessionStore {
  const { kernel } = context;
  const gate = new LoginGate(systemTimerClock);
  const { database, log } = kernel;

  /** Refusals are for the user; anything else is a bug. */
  async function redeem(ticket: Ticket, program: Pick<Program, "kind" | "destination" | "agent"> | null) {
    try {
      return await redeemTicket(context, {
        ...ticket,
        gatewayId: gateway.id,
        program: program?.kind ?? null,
        offersAgent: program?.agent !== undefined,
        ...(program?.destination === undefined ? {} : { destination: nameOf(program.destination) }),
      });
    } catch (error) {
      if (error instanceof Refusal) return { failure: error.message };
      log.error({ err: error, session: ticket.sessionId }, "a ticket could not be redeemed");
      return { failure: NOT_OPENED };
    }
  }

  const endOf = (progress: Progress) => ({
    inputBytes: progress.inputBytes,
    outputBytes: progress.outputBytes,
    lastActivityAt: progress.lastActivityAt,
  });

  function openingOf({ session, account, rules, forwardsAgent, credential }: OpenedSession): Opening {
    return {
      session: {
        id: session.id,
        safeId: session.safe_id,
        userName: session.user_name,
        target: session.target,
        remoteUser: session.remote_user,
        endsIn: Number(session.ends_at) - Number(account.now),
        rules,
        recording: { hasInput: rules.recordsInput, days: rules.recordingDays },
        forwardsAgent,
      },
      async connect(signal, agent) {
        const now = () => kernel.clock.now();
        try {
          const report = await gate.enter(session.target, signal);
          if (report === null) return { failure: TARGET_BUSY };
          const limits = { timeoutMs: LOGIN_WITHIN_MS, signal, network, now };
          const connected = await connectTarget(loginTargetOf(account), credential, limits, agent);
          if ("upstream" in connected) report("logged-in");
          else report(connected.isCounted ? "failed" : "unreached");
          const kind = credential instanceof Secret ? "secret" : "certificate";
          await noteLogin(context, { session, account, kind }, connected).catch((error: unknown) => {
            log.warn({ err: error, session: session.id }, "the result of a login on a target could not be stored");
          });
          return connected;
        } finally {
          if (credential instanceof Secret) credential[Symbol.dispose]();
        }
      },
    };
  }

  return {
    async redeem(ticket, program) {
      const redeemed = await redeem(ticket, program);
      if ("failure" in redeemed) return redeemed;
      return redeemed.kind === "open" ? openingOf(redeemed) : { failure: OTHER_KIND };
    },

    async redeemWatch(ticket) {
      const redeemed = await redeem(ticket, null);
      if ("failure" in redeemed) return redeemed;
      if (redeemed.kind === "watch") return { watcher: redeemed.watcher.name };
      if (redeemed.credential instanceof Secret) redeemed.credential[Symbol.dispose]();
      await endSession(context, ticket.sessionId, { reason: "failed", detail: OTHER_KIND });
      return { failure: OTHER_KIND };
    },

    async end(progress, end) {
      await endSession(context, progress.id, end, endOf(progress));
    },

    async report(live) {
      const problem = kernel.keys.isSealed ? "The vault is sealed." : null;
      const heartbeat = await beatGateway(database.db, gateway.id, { liveSessions: live.length, problem });
      if (heartbeat === null) await registerGateway(database.db, gateway);
      await noteTraffic(
        database.db,
        live.map((progress) => ({ id: progress.id, ...endOf(progress) })),
      );
      return { isDraining: heartbeat?.isDraining ?? false };
    },

    raiseRisk: (sessionId, reason) => raiseRisk(context, sessionId, reason),

    check: () => recheckSessions(database.db, gateway.id),
  };
}
