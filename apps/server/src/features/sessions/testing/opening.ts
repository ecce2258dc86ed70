// Test factories for sessions: an account with the connection method SSH, an idle gateway, and the calls.
import { listNotifications, startPrivilegedSession, terminatePrivilegedSession } from "@strongroom/contract";
import type { Account, InputOf, Safe } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { dirname } from "node:path";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { newId } from "#kernel/id.ts";
import { gatewaySocket } from "../gateway/gateway-socket.ts";
import { registerGateway } from "../gateway/gateways.store.ts";
import { redeemTicket } from "../gateway/redeem-ticket.ts";
import type { SessionProgram } from "../gateway/session-rules.store.ts";
import type { OpenedSession, WatchedSession } from "../gateway/redeem-ticket.ts";
import { sessionContextOf } from "../session-context.ts";

export interface TestGateway {
  id: string;
  server: Server;
}

/** A registered gateway with a socket that accepts connections; a test answers them. */
export async function aGateway(app: TestApp, zone: string | null = null): Promise<TestGateway> {
  const id = newId();
  const path = gatewaySocket(app.config, id);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await registerGateway(app.database.db, {
    id,
    name: `gateway ${id}`,
    address: null,
    relayAddress: null,
    zone,
    version: "test",
  });
  // It sends no heartbeats, and stays alive for the whole test.
  await app.database.pool.query("update gateways set heartbeat_at = heartbeat_at + interval '1 hour' where id = $1", [
    id,
  ]);
  return { id, server };
}

export interface SessionWorld {
  app: TestApp;
  gateway: TestGateway;
  sessions: ReturnType<typeof sessionsOf>;
  close: () => Promise<void>;
}

/** A server with one gateway, and the calls of sessions. */
export async function aSessionWorld(): Promise<SessionWorld> {
  const app = await testApp();
  const gateway = await aGateway(app);
  const close = async () => {
    gateway.server.close();
    await app.close();
  };
  return { app, gateway, sessions: sessionsOf(app, gateway), close };
}

type PlatformFields = NonNullable<Parameters<typeof aPlatform>[1]>;

export interface SessionSetup {
  owner: TestPerson;
  /** May use the account without retrieving it. */
  user: TestPerson;
  safe: Safe;
  account: Account & { password: string };
}

/** An SSH account in its own safe, with a member who may only use it. */
export async function anSshAccount(app: TestApp, fields: PlatformFields = {}): Promise<SessionSetup> {
  const [owner, user] = [await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, { system_type: "Linux", connection_method: "SSH", ...fields });
  const account = await anAccount(app, owner, safe, {
    platform_id: platform.id,
    system_type: "Linux",
    connection_method: "SSH",
    hostname: "127.0.0.1",
    port: 1,
  });
  await aMember(app, owner, safe, user, ["list", "use"]);
  return { owner, user, safe, account };
}

type Body = NonNullable<InputOf<typeof startPrivilegedSession>["body"]>;

/** Like `anSshAccount`, with a member who may view the audit trail of the safe. */
export async function anAuditedAccount(app: TestApp, fields: PlatformFields = {}) {
  const setup = await anSshAccount(app, fields);
  const auditor = await aPerson(app);
  const membership = await aMember(app, setup.owner, setup.safe, auditor, "auditor");
  return { ...setup, auditor, membership };
}

/** The messages with this title, once every queued notice was delivered. */
export async function noticesOf(app: TestApp, who: TestPerson, title: string): Promise<string[]> {
  await eventually(async () => ((await app.database.pool.query("select from notices")).rowCount === 0 ? true : null));
  const { body } = await app.call(listNotifications, { as: who.token });
  return body.notifications.filter((each) => each.title === title).map(({ message }) => message);
}

export const sessionsOf = (app: TestApp, gateway: TestGateway) => ({
  start: (who: TestPerson, { id }: Pick<Account, "id">, body: Body = {}) =>
    app.call(startPrivilegedSession, { params: { id }, body, as: who.token }),
  terminate: (who: TestPerson, id: string, reason = "Wrong host") =>
    app.call(terminatePrivilegedSession, { params: { id }, body: { reason }, as: who.token }),
  /** Redeems a ticket as the gateway does; rejects with the refusal. */
  redeem: (
    ticket: string,
    sessionId: string,
    gatewayId = gateway.id,
    program: SessionProgram = "shell",
  ): Promise<OpenedSession | WatchedSession> =>
    redeemTicket(sessionContextOf(app.kernel), { ticket, sessionId, gatewayId, sourceAddress: "127.0.0.1", program }),
  /** Starts and opens a session; returns its id. */
  async open(who: TestPerson, account: Pick<Account, "id">, body: Body = {}): Promise<string> {
    const started = await this.start(who, account, body);
    if (started.status !== 201) throw new Error(started.text);
    const opened = await this.redeem(started.body.ticket, started.body.session_id);
    if (opened.kind === "open" && opened.credential instanceof Secret) opened.credential[Symbol.dispose]();
    return started.body.session_id;
  },
});

/** The audit events about a session with their results, oldest first. */
export async function eventsOf(app: TestApp, id: string): Promise<string[]> {
  const { rows } = await app.database.pool.query<{ event: string; result: string }>(
    "select event, result from audit_entries where target_id = $1 order by seq",
    [id],
  );
  return rows.map(({ event, result }) => `${event} ${result}`);
}
