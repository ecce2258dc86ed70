// What the test runner starts: fills the folder that is named with what servers under test begin with, a database that is
// initialised and migrated and holds nothing else. A server copies it in a tenth of the time that making it takes. All that
// a server loads is loaded here too, so that its compiled code is kept before the first one starts.
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
