// Starts a session: applies the rules of a retrieval, and issues the ticket with which a gateway opens it.
import { openSessionTerminal, openSessionWatch, pathOf } from "@strongroom/contract";
import type {
  PrivilegedSessionId,
  SessionClient,
  startPrivilegedSession,
  watchPrivilegedSession,
} from "@strongroom/contract";
import { sql } from "kysely";
import { justificationNote, requireJustification, requireUse, ticketOf } from "#features/accounts/index.ts";
import type { ShownRow } from "#features/accounts/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Config } from "#kernel/config.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { isListening } from "./gateway/gateway-socket.ts";
import { addressOf, readGateways } from "./gateway/gateways.store.ts";
import type { GatewayRow } from "./gateway/gateways.store.ts";
import { isRelayListening } from "./gateway/relay.ts";
import { isInZones, readSessionRules } from "./gateway/session-rules.store.ts";
import { targetText } from "./gateway/redeem-ticket.ts";
import { actionsFor, requireShown } from "./monitoring/find-sessions.ts";
import { detailsOf, targetOf } from "./session-context.ts";
import { gatewayHostKey } from "./native/host-key.ts";
import type { SessionContext } from "./session-context.ts";
import { riskLevelOf, startReasons } from "./risk/risk.policy.ts";
import { startFactsAt } from "./risk/start-facts.ts";
import type { StartFacts } from "./risk/risk.policy.ts";
import { countOpen, insertSession, insertTicket, lockStarts } from "./sessions.store.ts";
import { hashOfTicket, newTicketText } from "./ticket-text.ts";

/** A ticket lives this long. */
const TICKET_SECONDS = 60;

type StartCall = Pick<
  Call<typeof startPrivilegedSession>,
  "actor" | "params" | "body" | "request" | "note" | "requireStepUp"
>;

export async function startSession(context: SessionContext, call: StartCall, tx: Tx) {
  const gateway = async ({ platform_id, safe_id }: ShownRow) => {
    const { zones } = await readSessionRules(tx, platform_id, safe_id);
    return chooseGateway(context.kernel.config, tx, { client: call.body.client, zones });
  };
  const { id, issued, address } = await insertStarted(context, call, tx, gateway);
  const ssh = address === null ? null : { ...address, host_key: (await gatewayHostKey(context.kernel)).publicLine };
  return { session_id: id, ...issued, connect_path: pathOf(openSessionTerminal.path, { id }), ssh };
}

/** For a gateway that has authenticated the user of a native client itself. */
export async function openNativeSession(context: SessionContext, call: StartCall, tx: Tx, gatewayId: string) {
  const { id, issued } = await insertStarted(context, call, tx, async () => ({ id: gatewayId, address: null }));
  return { sessionId: id, ticket: issued.ticket };
}

async function insertStarted(
  context: SessionContext,
  call: StartCall,
  tx: Tx,
  chooseGatewayNow: (row: ShownRow) => Promise<ChosenGateway>,
) {
  const { actor, params, body } = call;
  call.note({ target: { type: "account", id: params.id } });
  const { row } = await requireUse(context, tx, actor, params.id, (shown) => {
    call.note({ target: { type: "account", id: shown.id, name: shown.name } });
    call.requireStepUp();
    requireJustification(shown, body);
  });
  requireSupported(row);
  await requireRoom(context, tx, actor.id);
  const { id: gatewayId, address } = await chooseGatewayNow(row);
  const facts = await readStartFacts(tx, actor.id, row);
  const reasons = startReasons(facts);
  const id = newId() as PrivilegedSessionId;
  await insertSession(tx, {
    id,
    user_id: actor.id,
    user_name: actor.name,
    account_id: row.id,
    account_name: row.name,
    safe_id: row.safe_id,
    safe_name: row.safe_name,
    platform_id: row.platform_id,
    platform_name: row.platform_name,
    grant_id: row.grant_id,
    token_id: actor.token?.id ?? null,
    ssh_key_id: await keyOfSignIn(tx, actor),
    gateway_id: gatewayId,
    protocol: "ssh",
    client: body.client,
    remote_user: row.username,
    target: targetText(row),
    source_address: call.request.ip,
    reason: body.reason === undefined || body.reason === "" ? null : body.reason,
    ticket: ticketOf(row, body),
    is_exclusive: row.exclusive_check_out,
    requested_at: row.now,
    ends_at: facts.ends_at,
    risk_level: riskLevelOf(reasons),
    risk_reasons: reasons,
  });
  const issued = await issue(tx, { kind: "open", id, userId: actor.id, accountId: row.id, gatewayId, from: call });
  call.note(justificationNote(row, body, { session: id, gateway_id: gatewayId }));
  return { id, issued, address };
}

/** The SSH key with which the user of a native client signed in. */
async function keyOfSignIn(tx: Tx, { sessionId }: Actor): Promise<string | null> {
  if (sessionId === null) return null;
  const signIn = tx.selectFrom("sign_in_sessions").select("ssh_key_id").where("id", "=", sessionId);
  return (await signIn.executeTakeFirst())?.ssh_key_id ?? null;
}

/** For members who may view the audit trail of the safe. The user of the session is notified. */
export async function watchSession(call: Call<typeof watchPrivilegedSession>, tx: Tx) {
  const { id } = call.params;
  call.note({ target: { type: "privileged-session", id } });
  const row = await requireShown(tx, call.actor, id);
  call.note({ target: targetOf(row), details: detailsOf(row) });
  if (row.status !== "active") throw refuse(409, "privileged-session.ended", "This session has ended.");
  if (!actionsFor(row, call.actor).includes("watch")) throw notAllowed();
  const ticket = { id, userId: call.actor.id, accountId: row.account_id, gatewayId: row.gateway_id, from: call };
  const issued = await issue(tx, { kind: "watch", ...ticket });
  return { ...issued, connect_path: pathOf(openSessionWatch.path, { id }) };
}

export const notAllowed = () =>
  refuse(403, "privileged-session.not-allowed", "Your permissions in this safe do not allow this.");

interface Ticket {
  kind: "open" | "watch";
  id: string;
  userId: string;
  accountId: string;
  gatewayId: string;
  from: Pick<Call, "request">;
}

async function issue(tx: Tx, { kind, id, userId, accountId, gatewayId, from }: Ticket) {
  const ticket = newTicketText();
  const row = {
    ticket_hash: hashOfTicket(ticket),
    kind,
    session_id: id,
    user_id: userId,
    account_id: accountId,
    gateway_id: gatewayId,
    source_address: from.request.ip,
  };
  const expiresAt = await insertTicket(tx, row, TICKET_SECONDS);
  return { ticket, expires_at: expiresAt.toISOString() };
}

function requireSupported({ name, connection_method }: ShownRow): void {
  if (connection_method === "SSH") return;
  throw refuse(
    409,
    "privileged-session.not-supported",
    `"${name}" uses ${connection_method}. Sessions are available only for accounts with the connection method SSH.`,
  );
}

/**
 * Throws 429 when the user has as many open sessions as one user may have. Counts tickets that are not redeemed yet, so
 * that parallel calls do not exceed the limit.
 */
async function requireRoom({ kernel }: SessionContext, tx: Tx, userId: string): Promise<void> {
  const most = kernel.config.sessionsPerUser;
  await lockStarts(tx, userId);
  if ((await countOpen(tx, userId, TICKET_SECONDS)) < most) return;
  throw refuse(
    429,
    "privileged-session.too-many",
    `You have ${most} open sessions. End one before you start another.`,
    {
      retryAfter: TICKET_SECONDS,
    },
  );
}

interface ChosenGateway {
  id: string;
  /** Where native clients reach it; null for a session in a browser. */
  address: { host: string; port: number } | null;
}

interface Wanted {
  client: SessionClient;
  /** The gateway must be in each of them. */
  zones: readonly string[];
}

/**
 * The gateway with the fewest sessions: for native clients any with an SSH port, for browsers one beside this server, else
 * one on another machine with a relay. Throws 503 when none starts sessions now.
 */
async function chooseGateway(config: Config, db: Db, { client, zones }: Wanted): Promise<ChosenGateway> {
  const all = (await readGateways(db)).filter((each) => each.is_alive);
  const alive = all.filter((each) => isInZones(each.zone, zones));
  const isNative = client === "native";
  const here = isNative ? alive.filter(({ address }) => address !== null) : await reachedByBrowsers(config, alive);
  const ready = here.filter(isReady);
  const [chosen] = ready.toSorted((one, other) => one.live_sessions - other.live_sessions);
  if (chosen !== undefined) return { id: chosen.id, address: isNative ? addressOf(chosen.address ?? "") : null };
  const problem = here.find((each) => each.problem !== null)?.problem;
  const isElsewhere = !isNative && here.length === 0 && alive.some(isReady);
  throw refuse(503, "privileged-session.no-gateway", problem ?? (isElsewhere ? elsewhere(zones) : noneReady(zones)), {
    retryAfter: 10,
  });
}

const isReady = (gateway: GatewayRow): boolean => !gateway.is_draining && gateway.problem === null;

/** Those on other machines only while none beside this server is ready. */
async function reachedByBrowsers(config: Config, gateways: readonly GatewayRow[]): Promise<GatewayRow[]> {
  const beside = await those(gateways, ({ id }) => isListening(config, id));
  if (beside.some(isReady)) return beside;
  const others = gateways.filter((each) => !beside.includes(each));
  return [...beside, ...(await those(others, isRelayListening))];
}

async function those<T>(all: readonly T[], is: (each: T) => Promise<boolean>): Promise<T[]> {
  const answers = await Promise.all(all.map(is));
  return all.filter((_, index) => answers[index]);
}

const noneReady = (zones: readonly string[]): string =>
  `No session gateway${inWords(zones)} is ready. Try again in a minute, or ask an administrator to check the gateways.`;

const elsewhere = (zones: readonly string[]): string =>
  `The session gateway${inWords(zones)} is on another machine, and browsers cannot reach it. Connect with an SSH client, or ask an administrator to set STRONGROOM_RELAY_PORT on the gateway.`;

/** For example ` in the zone "plant-2"`. */
function inWords(zones: readonly string[]): string {
  const named = [...new Set(zones)].map((zone) => `"${zone}"`);
  if (named.length === 0) return "";
  return named.length === 1 ? ` in the zone ${named[0]}` : ` that is in the zones ${named.join(" and ")} at once`;
}

/** A session lasts no longer than the platform's longest access. */
async function readStartFacts(tx: Tx, userId: string, row: ShownRow): Promise<StartFacts & { ends_at: Date }> {
  const { rows } = await sql<StartFacts & { ends_at: Date }>`
    select access_time() + make_interval(mins => platforms.max_duration_minutes) as ends_at,
      coalesce((select is_break_glass from access_requests where id = ${row.grant_id}), false) as is_break_glass,
      ${startFactsAt(sql`access_time()`, { userId: sql`${userId}`, accountId: sql`${row.id}` })}
    from platforms
    where platforms.id = ${row.platform_id}`.execute(tx);
  return rows[0]!;
}
