// Tests two servers that start on the same new folder at the same time.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startServer } from "./testing/server.ts";

/** More rounds: `STRONGROOM_FIRST_START_ROUNDS=50 node --test e2e/first-starts.test.ts`. */
const ROUNDS = Number(process.env["STRONGROOM_FIRST_START_ROUNDS"] ?? 4);
const folder = mkdtempSync(join(tmpdir(), "strongroom-two-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Uses a folder that the test runner has not prepared. */
const firstStart = (dataFolder: string) => startServer({ STRONGROOM_TEST_DATA: "" }, dataFolder);

test(
  "two concurrent first starts on the same new folder both succeed, with one root key",
  { timeout: 900_000 },
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const dataFolder = join(folder, String(round));
      const outcomes = await Promise.allSettled([firstStart(dataFolder), firstStart(dataFolder)]);
      const started = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      const failures = outcomes.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
      try {
        assert.deepEqual(failures, [], `round ${round}`);
        const keys = readdirSync(dataFolder).filter((name) => name.startsWith("root.key"));
        assert.deepEqual(keys, ["root.key"]);
      } finally {
        for (const server of started.toReversed()) await server.stop();
      }
    }
  },
);
