// Redeems a ticket in a gateway: decides again, opens the account's secret for this session, and records it.
import type { KeyForConnection } from "@strongroom/connectors/ssh";
import type { Secret } from "@strongroom/keys";
import { sql } from "kysely";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { useAccount, recordUse } from "#features/accounts/index.ts";
import { certifySession } from "#features/ssh-ca/index.ts";
import { sshKeyEnd } from "#features/ssh-keys/index.ts";
import type { ShownRow } from "#features/accounts/index.ts";
import { notifyHighRisk, notifyStarted } from "../risk/notify-sessions.ts";
import { detailsOf, publishChange, targetOf } from "../session-context.ts";
import type { SessionContext } from "../session-context.ts";
import { PROGRAM_NAMES } from "../sessions.policy.ts";
import { lockSession, markEnded, takeTicket } from "../sessions.store.ts";
import type { SessionRow, TicketRow } from "../sessions.store.ts";
import { hashOfTicket } from "../ticket-text.ts";
import { requireLoginAllowed } from "./login-failures.ts";
import { isInZones, readSessionLogin, readSessionRules, readZone } from "./session-rules.store.ts";
import type { SessionProgram, SessionRules } from "./session-rules.store.ts";
import { readUser } from "./session-users.store.ts";

export interface Redemption {
  ticket: string;
  sessionId: string;
  gatewayId: string;
  /** The client's address; null when the gateway does not know it. */
  sourceAddress: string | null;
  /** The program to run; null for a watcher. */
  program: SessionProgram | null;
  /** Where port forwarding connects to, as `host:port`. */
  destination?: string;
  /** The client offers its SSH agent. */
  offersAgent?: boolean;
}

/** The session that the gateway opens now. */
export interface OpenedSession {
  kind: "open";
  session: SessionRow;
  /** The account with its address, type, host key and platform. */
  account: ShownRow;
  rules: SessionRules;
  forwardsAgent: boolean;
  /** The account's secret, which the gateway disposes of after the login; or a certificate that it logs in with. */
  credential: Secret | KeyForConnection;
}

/** A live session of this gateway that a user watches. */
export interface WatchedSession {
  kind: "watch";
  session: SessionRow;
  watcher: { id: string; name: string };
}

const invalid = (): Refusal =>
  refuse(403, "privileged-session.ticket-invalid", "This ticket is not valid. Connect again from the account's page.");

const programDenied = (program: SessionProgram): Refusal =>
  refuse(
    403,
    "privileged-session.program-denied",
    `The platform of this account does not allow ${PROGRAM_NAMES[program]}. Ask an administrator to allow it.`,
  );

const ended = (): Refusal => refuse(409, "privileged-session.ended", "This session has ended.");

/**
 * INVARIANT: the audit entry that says who opens which account commits together with the use of the ticket, before the
 * secret is returned. Throws a refusal whose message is for the user; the attempt is audited then.
 */
export async function redeemTicket(
  context: SessionContext,
  redemption: Redemption,
): Promise<OpenedSession | WatchedSession> {
  try {
    return await context.kernel.database.transaction((tx) => redeem(context, tx, redemption));
  } catch (error) {
    if (error instanceof Refusal) await recordRefusal(context, redemption, error);
    throw error;
  }
}

const useOf = ({ ticket, sessionId, gatewayId, sourceAddress }: Redemption) => ({
  sessionId,
  gatewayId,
  sourceAddress,
  hash: hashOfTicket(ticket),
});

async function redeem(
  context: SessionContext,
  tx: Tx,
  redemption: Redemption,
): Promise<OpenedSession | WatchedSession> {
  const ticket = await takeTicket(tx, useOf(redemption));
  if (ticket === null) throw invalid();
  const user = await readUser(tx, ticket.user_id);
  if (user.status !== "active") throw invalid();
  if (ticket.kind === "watch") return watch(context, tx, ticket.session_id, user);
  const { account, secret } = await credentialOf(context, tx, user, ticket.account_id);
  try {
    await requireLoginAllowed(tx, account, { userId: user.id, kind: secret === null ? "certificate" : "secret" });
    const rules = await readSessionRules(tx, account.platform_id, account.safe_id);
    // INVARIANT: a gateway outside the zones of the platform and the safe opens no session.
    if (!isInZones(await readZone(tx, ticket.gateway_id), rules.zones)) throw invalid();
    const { program } = redemption;
    // INVARIANT: a session runs only the programs that its platform allows.
    if (program !== null && !rules.allows[program]) throw programDenied(program);
    const offersAgent = redemption.offersAgent ?? false;
    const forwardsAgent = offersAgent && rules.allowsAgent;
    const login = {
      sessionId: ticket.session_id,
      username: account.username,
      forwardsPorts: program === "forward",
      forwardsAgent,
    };
    const certificate = secret === null ? await certifySession(context.kernel, tx, login) : null;
    const details = {
      ...(offersAgent ? { agent: forwardsAgent ? "forwarded" : "denied" } : {}),
      ...(certificate === null ? {} : { certificate: certificate.facts }),
      ...(redemption.destination === undefined ? {} : { destination: redemption.destination }),
    };
    const session = await begin(context, tx, { ticket, account, program, forwardsAgent, details });
    return { kind: "open", session, account, rules, forwardsAgent, credential: secret ?? certificate!.login };
  } catch (error) {
    secret?.[Symbol.dispose]();
    throw error;
  }
}

/** INVARIANT: with logins by certificate, the account's secret stays sealed. */
async function credentialOf(
  context: SessionContext,
  tx: Tx,
  user: Parameters<typeof useAccount>[2],
  accountId: string,
): Promise<{ account: ShownRow; secret: Secret | null }> {
  if ((await readSessionLogin(tx, accountId)) === "certificate") {
    return { account: await recordUse(context, tx, user, accountId), secret: null };
  }
  const { row, secret } = await useAccount(context, tx, user, accountId);
  return { account: row, secret };
}

interface Beginning {
  ticket: TicketRow;
  account: ShownRow;
  program: SessionProgram | null;
  forwardsAgent: boolean;
  /** For the audit trail. */
  details: Record<string, string | Record<string, string>>;
}

async function begin(context: SessionContext, tx: Tx, beginning: Beginning): Promise<SessionRow> {
  const { ticket, account, program, forwardsAgent, details } = beginning;
  const id = ticket.session_id;
  const held = await lockSession(tx, id);
  if (held === null || held.status !== "pending") throw ended();
  // INVARIANT: the session that is audited names the user and the account whose secret is opened.
  if (held.user_id !== ticket.user_id || held.account_id !== account.id) throw invalid();
  if (held.remote_user !== account.username) throw invalid();
  // The user agreed to this target; the account may have changed since.
  if (held.safe_id !== account.safe_id || held.target !== targetText(account)) throw invalid();
  if (held.token_id !== null && !(await isTokenActive(tx, held.token_id))) throw invalid();
  if (held.ssh_key_id !== null && !(await isKeyActive(tx, held.ssh_key_id))) throw invalid();
  const at = context.kernel.clock.now();
  const session = await tx
    .updateTable("sessions")
    .set({
      status: "active",
      started_at: account.now,
      last_activity_at: account.now,
      program,
      forwards_agent: forwardsAgent,
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const { reason } = session;
  const note = {
    target: targetOf(session),
    ...(reason === null ? {} : { reason }),
    details: {
      ...detailsOf(session),
      version: account.secret_version,
      gateway_id: session.gateway_id,
      client: session.client,
      ...(program === null ? {} : { program }),
      ...details,
      source_address: session.source_address,
      ...(session.ticket === null ? {} : { ticket: session.ticket }),
    },
  };
  await appendAudit(tx, [systemEntry("privileged-session.started", "sessions", note, at)]);
  await publishChange(context, tx, session, "active");
  // Watchers of the account are notified of a high risk too.
  if (session.risk_level === "high") await notifyHighRisk(context.kernel, tx, session, session.risk_reasons);
  else await notifyStarted(context.kernel, tx, session);
  return session;
}

/** A token may have ended since a session or a watch began with it. */
export async function isTokenActive(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from tokens
    where id = ${id} and revoked_at is null and suspended_at is null and expires_at > access_time()`.execute(db);
  return rows.length > 0;
}

async function isKeyActive(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`select from ssh_keys where id = ${id} and ${sshKeyEnd} > access_time()`.execute(db);
  return rows.length > 0;
}

async function watch(
  { kernel }: SessionContext,
  tx: Tx,
  id: string,
  watcher: { id: string; name: string },
): Promise<WatchedSession> {
  const session = await lockSession(tx, id);
  if (session === null || session.status !== "active") throw ended();
  const details = { ...detailsOf(session), watcher_id: watcher.id, watcher: watcher.name };
  const note = { target: targetOf(session), details };
  await appendAudit(tx, [systemEntry("privileged-session.watched", "sessions", note, kernel.clock.now())]);
  return { kind: "watch", session, watcher: { id: watcher.id, name: watcher.name } };
}

/** A refused session is over: its ticket does not work a second time. */
async function recordRefusal(context: SessionContext, redemption: Redemption, refusal: Refusal): Promise<void> {
  const { kernel } = context;
  await kernel.database.transaction(async (tx) => {
    const ticket = await takeTicket(tx, useOf(redemption));
    if (ticket?.kind === "open") {
      await markEnded(tx, ticket.session_id, { reason: "failed", detail: refusal.message }, null);
    }
    const session = await lockSession(tx, redemption.sessionId);
    const note = {
      target: session === null ? { type: "privileged-session", id: redemption.sessionId } : targetOf(session),
      result: "failure" as const,
      reason: refusal.code,
      details: {
        gateway_id: redemption.gatewayId,
        source_address: redemption.sourceAddress,
        ...(redemption.program === null ? {} : { program: redemption.program }),
        ...(redemption.destination === undefined ? {} : { destination: redemption.destination }),
      },
    };
    await appendAudit(tx, [systemEntry("privileged-session.refused", "sessions", note, kernel.clock.now())]);
  });
}

/** The host and port as sessions show them. */
export const targetText = ({ host, port }: Pick<ShownRow, "host" | "port">): string =>
  port === null ? host : `${host}:${port}`;
