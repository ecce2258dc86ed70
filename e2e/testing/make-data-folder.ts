// Run by the test runner. Creates the initial data folder of servers under test, with an initialised, migrated and empty
// database. Copying that folder takes a tenth of the time of creating one. Also loads all modules of the server, so that their
// compiled code is cached before the first server starts.
import "@strongroom/server/compose.ts";
import { migrate } from "@strongroom/server/kernel/db/migrate.ts";
import { startEmbedded } from "@strongroom/server/kernel/embedded/embedded.ts";
import { installQueue } from "@strongroom/server/kernel/jobs/queue.ts";
import { openLog } from "@strongroom/server/kernel/log.ts";

const [dataFolder] = process.argv.slice(2);
if (dataFolder === undefined) throw new Error("the folder is missing");
const log = openLog("error");
const embedded = await startEmbedded({ dataFolder, log });
await migrate(embedded, log);
await installQueue(embedded.connection);
await embedded.stop();
