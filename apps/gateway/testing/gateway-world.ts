// A server and a gateway on one database, with an account on a real sshd.
import { freePort, startSshd, type Sshd, type SshdOptions, type UnixUser } from "@strongroom/connectors/testing";
import { insertSession, insertTicket } from "@strongroom/server/features/sessions/sessions.store.ts";
import { hashOfTicket, newTicketText } from "@strongroom/server/features/sessions/ticket-text.ts";
import { gatewaySocket, recordingsFolder } from "@strongroom/server/features/sessions/index.ts";
import type { Config } from "@strongroom/server/kernel/config.ts";
import { openDatabase } from "@strongroom/server/kernel/db/database.ts";
import type { Database } from "@strongroom/server/kernel/db/database.ts";
import { newId } from "@strongroom/server/kernel/id.ts";
import { openLog } from "@strongroom/server/kernel/log.ts";
import { aPlatform, anAccount } from "@strongroom/server/testing/accounts.ts";
import { aPerson, type TestPerson } from "@strongroom/server/testing/people.ts";
import { aSafe } from "@strongroom/server/testing/safes.ts";
import { testApp, type TestApp } from "@strongroom/server/testing/test-app.ts";
import { sql } from "kysely";
import { composeGateway, type GatewayApp } from "../src/compose.ts";
import { openBrowser, type Browser } from "./browser.ts";
import { SIZE } from "./browser-gateway.ts";

export interface GatewayWorld {
  app: TestApp;
  gatewayApp: GatewayApp;
  /** The gateway's own connections. */
  database: Database;
  /** The gateway's own port for SSH clients. */
  sshPort: number;
  sshd: Sshd;
  user: UnixUser;
  owner: TestPerson;
  accountId: string;
  accountName: string;
  recordings: string;
  /** A session of the owner that waits for its ticket. */
  request(kind?: "open" | "watch", sessionId?: string): Promise<{ sessionId: string; ticket: string }>;
  open(sessionId: string, kind?: "terminal" | "watch"): Promise<Browser>;
  /** A live session whose browser has received `ready`. */
  begin(): Promise<{ sessionId: string; browser: Browser; ticket: string }>;
  /** The audit events about a session, in order, with their canonical text. */
  audited(sessionId: string): Promise<{ event: string; text: string }[]>;
  stop(): Promise<void>;
}

/** `changes` to the settings of the gateway. */
export async function startGatewayWorld(
  changes: Partial<Config> = {},
  options: SshdOptions = {},
): Promise<GatewayWorld> {
  const [sshd, app] = await Promise.all([startSshd(options), testApp()]);
  const user = await sshd.addUser();
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const ssh = { system_type: "Linux", connection_method: "SSH" } as const;
  const platform = await aPlatform(app, ssh);
  const account = await anAccount(app, owner, safe, {
    ...ssh,
    platform_id: platform.id,
    hostname: sshd.host,
    port: sshd.port,
    username: user.username,
    password: user.password,
  });
  const db = app.database.db;
  const pin = JSON.stringify(await sshd.hostKey());
  await sql`update credentials set host_key = ${pin}::jsonb where id = ${account.id}`.execute(db);
  const log = openLog("fatal");
  const database = openDatabase({ connection: app.database.connection, log, poolSize: 5 });
  const sshPort = await freePort();
  const gatewayApp = await composeGateway({ config: { ...app.config, sshPort, ...changes }, log, database });
  await gatewayApp.start();

  const open: GatewayWorld["open"] = (sessionId, kind = "terminal") =>
    openBrowser(gatewaySocket(app.config, gatewayApp.id), `/api/v1/sessions/${sessionId}/${kind}`);

  const request: GatewayWorld["request"] = async (kind = "open", given) => {
    const [sessionId, ticket] = [given ?? newId(), newTicketText()];
    await app.database.transaction(async (tx) => {
      if (given === undefined) {
        await insertSession(tx, {
          id: sessionId,
          user_id: owner.id,
          user_name: owner.email,
          account_id: account.id,
          account_name: account.name,
          safe_id: safe.id,
          safe_name: safe.name,
          platform_id: platform.id,
          platform_name: platform.name,
          grant_id: null,
          token_id: null,
          gateway_id: gatewayApp.id,
          protocol: "ssh",
          client: "browser",
          remote_user: user.username,
          target: `${sshd.host}:${sshd.port}`,
          source_address: "127.0.0.1",
          reason: null,
          ticket: null,
          is_exclusive: false,
          requested_at: new Date(),
          ends_at: new Date(Date.now() + 3_600_000),
          risk_level: "low",
          risk_reasons: [],
        });
      }
      const use = { kind, session_id: sessionId, user_id: owner.id, account_id: account.id, gateway_id: gatewayApp.id };
      await insertTicket(tx, { ...use, ticket_hash: hashOfTicket(ticket), source_address: null }, 60);
    });
    return { sessionId, ticket };
  };

  return {
    app,
    gatewayApp,
    database,
    sshPort,
    sshd,
    user,
    owner,
    accountId: account.id,
    accountName: account.name,
    recordings: recordingsFolder(app.config),
    request,
    open,
    async begin() {
      const { sessionId, ticket } = await request();
      const browser = await open(sessionId);
      browser.send({ t: "ticket", ticket, ...SIZE });
      await browser.told("ready");
      return { sessionId, browser, ticket };
    },
    async audited(sessionId) {
      const { rows } = await sql<{ event: string; text: string }>`
        select event, convert_from(canonical, 'UTF8') as text from audit_entries
        where target_id = ${sessionId} order by seq`.execute(db);
      return rows;
    },
    async stop() {
      await gatewayApp.stop();
      await database.close();
      await app.close();
      await sshd.stop();
    },
  };
}
