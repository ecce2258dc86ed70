// Follows docs/adding-a-connector.md: its example compiles and passes the shared suite. With its line in `all.ts`, the registry chooses the
// example and the forms have its fields.
import { ConnectorDescription, describedConnector, parametersFor } from "@strongroom/contract";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { opensslAvailable } from "../testing/certificates.ts";
import { needs } from "../testing/targets/availability.ts";
import type * as Descriptions from "./describe.ts";
import type * as Registry from "./registry.ts";

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
      ["redis.ts", "change-password.ts", "redis.test.ts", "all.ts"],
    );

    // At the same depth as a connector's folder, but beside `src`, so that file watchers ignore it.
    const example = mkdtempSync(join(packageFolder, ".example-"));
    t.after(() => rmSync(example, { recursive: true, force: true }));
    mkdirSync(join(example, "redis"));
    for (const { name, text } of files.slice(0, 3)) {
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

    const line = files[3]?.text ?? "";
    const { connectorFor, describeConnector, connectors } = await registryWith(example, line);
    const entry = { type: "application", connectionString: null, additionalParams: { protocol: "redis" } };
    const chosen = connectorFor({ ...entry, host: "cache1", port: null, username: null });
    assert.equal(chosen.proven, false, "the registry chooses the example");

    const descriptions = connectors.map((each) => ConnectorDescription.parse(describeConnector(each)));
    const described = describedConnector(descriptions, { ...entry, connection_string: null, protocol: "redis" });
    assert.deepEqual(described?.protocols, [{ value: "redis", label: "Redis", port: 6379 }]);
    assert.deepEqual(described.capabilities, { can_change: true, can_reconcile: false, can_list_accounts: false });
    assert.deepEqual(
      parametersFor(described, "redis").map(({ label }) => label),
      ["TLS mode", "Trusted certificates (PEM)", "Name in the certificate"],
    );
  },
);

/** The registry of a copy of the sources, in whose list this line replaces the product's own Redis connector. */
async function registryWith(example: string, line: string): Promise<typeof Registry & typeof Descriptions> {
  const sources = join(packageFolder, "src");
  assert.equal(line.trim().split("\n").length, 1, "one line");
  const lines = readFileSync(join(sources, "all.ts"), "utf8").split("\n");
  const others = lines.filter((each) => !each.includes("./redis/"));
  assert.equal(others.length, lines.length - 1);
  const all = others.join("\n").replaceAll('"./', '"../src/');
  writeFileSync(join(example, "all.ts"), `${all}\n${line}`);
  for (const name of ["registry.ts", "describe.ts"]) {
    const text = readFileSync(join(sources, name), "utf8");
    writeFileSync(join(example, name), text.replaceAll(/"\.\/(?!all\.ts|registry\.ts)/g, '"../src/'));
  }
  const registry = (await import(join(example, "registry.ts"))) as typeof Registry;
  const descriptions = (await import(join(example, "describe.ts"))) as typeof Descriptions;
  return { ...registry, ...descriptions };
}
