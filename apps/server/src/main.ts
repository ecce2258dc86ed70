// Starts the server (configuration, database, keys, features), prints its address, and stops cleanly on a signal.
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { readConfig } from "#kernel/config.ts";
import type { Config } from "#kernel/config.ts";
import { openDatabase } from "#kernel/db/database.ts";
import { migrate } from "#kernel/db/migrate.ts";
import { requireSessions } from "#kernel/db/session-pooling.ts";
import { startEmbedded } from "#kernel/embedded/embedded.ts";
import type { Embedded } from "#kernel/embedded/embedded.ts";
import { openLog } from "#kernel/log.ts";
import type { Log } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { requireUsable, whyNotStarted } from "#kernel/why-not-started.ts";
import { compose } from "./compose.ts";
import { runGateway } from "./gateway-process.ts";

const STOP_WITHIN_MS = 15_000;
const WEB_FOLDER = join(import.meta.dirname, "../../web/dist");

/** Started components in order; they are stopped in reverse order. */
const started: { name: string; stop: () => Promise<unknown> }[] = [];
let isStopping = false;

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const log = openLog(
    process.stdout.isTTY && process.env.STRONGROOM_LOG_LEVEL === undefined ? "warn" : config.logLevel,
  );
  stopOnSignals(log);
  await checkPort(config);

  const embedded = await embeddedOf(config, log);
  const connection = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
  const database = openDatabase({ connection, log });
  started.push({ name: "database connections", stop: () => database.close() });
  if (embedded === null) await requireSessions(database);
  await requireUsable(database);
  await migrate(database, log);

  const app = await compose({ config, log, database, webFolder: WEB_FOLDER, ...(embedded && { embedded }) });
  started.push({ name: "server", stop: () => app.stop() });
  await app.start();
  await app.http.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
    throw portError(config, error);
  });
  if (config.hasGateway) {
    const gateway = runGateway(log);
    started.push({ name: "session gateway", stop: () => gateway.stop() });
  }
  await greet(config, app);
}

/** Null with DATABASE_URL. */
async function embeddedOf(config: Config, log: Log): Promise<Embedded | null> {
  if (config.databaseUrl !== null) {
    makeDataFolder(config);
    return null;
  }
  const embedded = await startEmbedded({ dataFolder: config.dataFolder, log });
  started.push({ name: "embedded PostgreSQL", stop: () => embedded.stop() });
  return embedded;
}

/** Creates the folder for the root key and the newest checkpoint. The embedded database creates its own folder. */
function makeDataFolder(config: Config): void {
  try {
    mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError(
      `The data folder ${config.dataFolder} cannot be created or written to. Check its path and owner.`,
      { cause: error },
    );
  }
}

/** Checks the port before anything else starts. If `listen` fails later, the same sentence is shown. */
async function checkPort(config: Config): Promise<void> {
  if (config.port === 0) return;
  await new Promise<void>((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => reject(portError(config, error)));
    probe.listen(config.port, config.host, () => probe.close(() => resolve()));
  });
}

function portError(config: Config, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return new StartError(
      `Port ${config.port} on ${config.host} is in use. Stop the other process, or set PORT to another port.`,
    );
  }
  if (code === "EACCES")
    return new StartError(`Port ${config.port} requires elevated privileges. Set PORT to a number above 1023.`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new StartError(`This machine has no address ${config.host}. Set HOST to one of its addresses.`);
  return error;
}

async function greet(config: Config, app: Awaited<ReturnType<typeof compose>>): Promise<void> {
  const { port } = app.http.server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  console.log(`\nStrongroom is at ${config.publicUrl ?? `http://${host}:${port}`}`);
  const link = await app.setupLink();
  if (link !== null) {
    console.log(`\nNo user exists yet. Create the first administrator with this one-time link:\n\n  ${link}\n`);
  }
  process.send?.("ready");
}

function stopOnSignals(log: Log): void {
  const end = (why: string) => () => void stop(why, log);
  process.on("SIGINT", end("SIGINT"));
  process.on("SIGTERM", end("SIGTERM"));
  if (process.env.STRONGROOM_ENDS_WITH_PARENT === "1") process.on("disconnect", end("the parent process ended"));
  process.on("unhandledRejection", (error) => {
    log.error({ err: error }, "unhandled promise rejection");
  });
  // After an uncaught error the state in memory cannot be trusted: the process stops, and its supervisor
  // starts another. A lost database connection is handled by `DatabaseClient` and never gets here.
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught error; stopping");
    void stop("uncaught error", log, 1);
  });
}

async function stop(why: string, log: Log, status = 0): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  log.info({ why }, "stopping");
  const tooLong = setTimeout(() => {
    log.error("stopping took too long");
    process.exit(1);
  }, STOP_WITHIN_MS);
  tooLong.unref();
  const isClean = await stopAll(log);
  process.exit(isClean ? status : 1);
}

async function stopAll(log: Log): Promise<boolean> {
  let isClean = true;
  for (const part of started.toReversed()) {
    await part.stop().catch((error: unknown) => {
      isClean = false;
      log.error({ err: error, part: part.name }, "a component did not stop cleanly");
    });
  }
  return isClean;
}

await start().catch(async (error: unknown) => {
  isStopping = true;
  const log = openLog("fatal");
  console.error(`Strongroom did not start: ${whyNotStarted(error)}`);
  if (["debug", "trace"].includes(process.env.STRONGROOM_LOG_LEVEL ?? "")) {
    log.fatal({ err: error }, "Strongroom did not start");
  }
  await stopAll(log);
  process.exit(1);
});
