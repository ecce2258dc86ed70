// What the test runner starts: one throwaway server for all test processes. Prints how to reach it as one line of JSON,
// to be handed to the tests as STRONGROOM_TEST_DATABASE, and lives until it is told to end or its standard input closes.
import { once } from "node:events";
import { startTemporaryServer } from "./temporary-server.ts";

const server = await startTemporaryServer();
process.stdout.write(`${JSON.stringify(server.connection)}\n`);
process.stdin.resume();
await Promise.race([once(process.stdin, "end"), once(process, "SIGTERM"), once(process, "SIGINT")]);
await server.stop();
process.exit(0);
