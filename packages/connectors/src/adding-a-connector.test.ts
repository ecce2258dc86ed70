// Follows docs/adding-a-connector.md: its example compiles and passes the shared suite.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { opensslAvailable } from "../testing/certificates.ts";
import { needs } from "../testing/targets/availability.ts";

const run = promisify(execFile);
const packageFolder = join(import.meta.dirname, "..");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

test(
  "the example of docs/adding-a-connector.md compiles and passes the suite",
  needs(opensslAvailable()),
  async (t) => {
    const doc = readFileSync(join(packageFolder, "../../docs/adding-a-connector.md"), "utf8");
    const files = [...doc.matchAll(/```ts file=(\S+)\n(.*?)```/gs)].map(([, name = "", text = ""]) => ({ name, text }));
    assert.deepEqual(
      files.map(({ name }) => name),
      ["redis.ts", "change-password.ts", "redis.test.ts"],
    );

    // As deep as a connector's folder, but beside `src`, so that file watchers ignore it.
    const example = mkdtempSync(join(packageFolder, ".example-"));
    t.after(() => rmSync(example, { recursive: true, force: true }));
    mkdirSync(join(example, "redis"));
    for (const { name, text } of files) {
      writeFileSync(
        join(example, "redis", name),
        text.replaceAll('from "../', 'from "../../src/').replaceAll("../../src/../", "../../"),
      );
    }
    writeFileSync(join(example, "tsconfig.json"), JSON.stringify({ extends: "../tsconfig.json", include: ["redis"] }));

    await run(process.execPath, [tsc, "-p", example]).catch((error: { stdout: string }) => assert.fail(error.stdout));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await run(
      process.execPath,
      ["--test", "--test-reporter=tap", join(example, "redis/redis.test.ts")],
      { env },
    ).catch((error: { stdout: string }) => assert.fail(error.stdout));
    assert.match(stdout, /# fail 0/);
    assert.ok(Number(/# pass (\d+)/.exec(stdout)?.[1]) > 28);
  },
);
