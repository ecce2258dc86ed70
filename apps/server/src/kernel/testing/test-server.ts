// Runs one temporary server for all test processes. Prints its connection as one line of JSON, which the test runner passes to
// the tests as STRONGROOM_TEST_DATABASE. Runs until it receives a signal or its standard input ends.
import { once } from "node:events";
import { startTemporaryServer } from "./temporary-server.ts";

const server = await startTemporaryServer();
process.stdout.write(`${JSON.stringify(server.connection)}\n`);
process.stdin.resume();
await Promise.race([once(process.stdin, "end"), once(process, "SIGTERM"), once(process, "SIGINT")]);
await server.stop();
process.exit(0);
