// Starts a session gateway alongside a server, or alone on a machine near the targets, and stops cleanly on a signal.
import "./garbage-collection.ts";
import { isSshNative, isSshPatched } from "@strongroom/connectors/ssh";
import { readConfig } from "@strongroom/server/kernel/config.ts";
import { openDatabase } from "@strongroom/server/kernel/db/database.ts";
import { startEmbedded } from "@strongroom/server/kernel/embedded/embedded.ts";
import { openLog, type Log } from "@strongroom/server/kernel/log.ts";
import { requireUsable, whyNotStarted } from "@strongroom/server/kernel/why-not-started.ts";
import { setPriority } from "node:os";
import { composeGateway } from "./compose.ts";

const STOP_WITHIN_MS = 15_000;
const POOL_SIZE = 8;

/** A server on the same machine started this gateway and ends it. */
const isBesideServer = process.env["STRONGROOM_ENDS_WITH_PARENT"] === "1";
/** Busy terminals must not slow down API calls on the same processors. Zero is the usual priority, 19 the lowest. */
const PRIORITY_BESIDE_SERVER = 5;

/** Started components in order; they are stopped in reverse order. */
const started: (() => Promise<unknown>)[] = [];
let isStopping = false;

async function start(): Promise<void> {
  if (isBesideServer) setPriority(PRIORITY_BESIDE_SERVER);
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  stopOnSignals(log);
  warnAboutLibrary(log);
  // The server's own database, which this process only joins.
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataFolder: config.dataFolder, log }) : null;
  if (embedded !== null) started.push(() => embedded.stop());
  const connection = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
  const database = openDatabase({ connection, log, poolSize: POOL_SIZE, applicationName: "strongroom gateway" });
  started.push(() => database.close());
  await requireUsable(database);
  const app = await composeGateway({ config, log, database });
  started.push(() => app.stop());
  await app.start();
  log.info({ gateway: app.id }, "the session gateway is ready");
  process.send?.("ready");
}

/** Sessions work without either, but slower, or with fewer ways to log in. */
function warnAboutLibrary(log: Log): void {
  if (!isSshNative) {
    log.warn(
      "the native part of ssh2 is not built, so sessions need about twice the processor time; see docs/sessions.md",
    );
  }
  if (!isSshPatched) {
    log.warn("ssh2 is not patched, so sessions have no post-quantum key exchange and no logins by certificate");
  }
}

function stopOnSignals(log: Log): void {
  process.on("SIGINT", () => void stop(log));
  process.on("SIGTERM", () => void stop(log));
  if (isBesideServer) process.on("disconnect", () => void stop(log));
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled promise rejection"));
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught error; stopping");
    void stop(log, 1);
  });
}

async function stop(log: Log, status = 0): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  await stopAll(log);
  process.exit(status);
}

async function stopAll(log: Log): Promise<void> {
  for (const part of started.toReversed()) {
    await part().catch((error: unknown) => log.error({ err: error }, "a component did not stop cleanly"));
  }
}

await start().catch(async (error: unknown) => {
  isStopping = true;
  console.error(`The session gateway did not start: ${whyNotStarted(error)}`);
  await stopAll(openLog("fatal"));
  process.exit(1);
});
