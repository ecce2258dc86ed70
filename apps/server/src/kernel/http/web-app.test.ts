// Tests how the built web app is served: a folder with a page, an asset and its compressed copy.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { readConfig } from "#kernel/config.ts";
import { openLog } from "#kernel/log.ts";
import { createMetrics } from "#kernel/metrics.ts";
import { createHttpServer } from "./server.ts";
import { serveWebApp } from "./web-app.ts";

describe("the web app", () => {
  const root = mkdtempSync(join(tmpdir(), "strongroom-web-"));
  const script = "export const answer = 42;";
  let http: Awaited<ReturnType<typeof createHttpServer>>;
  before(async () => {
    mkdirSync(join(root, "dist", "assets"), { recursive: true });
    writeFileSync(join(root, "secret.txt"), "outside the folder");
    writeFileSync(join(root, "dist", "index.html"), "<title>The page</title>");
    writeFileSync(join(root, "dist", "favicon.svg"), "<svg/>");
    writeFileSync(join(root, "dist", "assets", "app-A1.js"), script);
    writeFileSync(join(root, "dist", "assets", "app-A1.js.br"), brotliCompressSync(script));
    http = await createHttpServer(readConfig({ STRONGROOM_DATA: root }), openLog("silent"), createMetrics());
    await serveWebApp(http, join(root, "dist"));
  });
  after(async () => {
    await http.close();
    rmSync(root, { recursive: true });
  });

  const get = (url: string, encoding = "") =>
    http.inject({ method: "GET", url, headers: encoding === "" ? {} : { "accept-encoding": encoding } });

  test("assets are cached forever and compressed when the browser accepts it", async () => {
    const plain = await get("/assets/app-A1.js");
    assert.deepEqual([plain.statusCode, plain.body], [200, script]);
    assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.match(String(plain.headers["content-type"]), /^(text|application)\/javascript/);
    const compressed = await get("/assets/app-A1.js", "gzip, br");
    assert.equal(compressed.headers["content-encoding"], "br");
    assert.equal(brotliDecompressSync(compressed.rawPayload).toString(), script);
    assert.match(String(compressed.headers["content-security-policy"]), /script-src/);
  });

  test("a missing asset is a problem document, and any other unknown path is the page", async () => {
    const missing = await get("/assets/gone-B2.js");
    assert.deepEqual([missing.statusCode, missing.json<{ code: string }>().code], [404, "endpoint.not-found"]);
    for (const path of ["/", "/accounts", "/safes/1"]) {
      const page = await get(path);
      assert.deepEqual([page.statusCode, page.body], [200, "<title>The page</title>"], path);
      assert.equal(page.headers["cache-control"], "no-cache");
    }
    assert.equal((await get("/favicon.svg")).body, "<svg/>");
  });

  const outside = [
    "..%2fsecret.txt",
    "%2e%2e/%2e%2e/secret.txt",
    "../../secret.txt",
    "..%5c..%5csecret.txt",
    "%2e%2e%2f%2e%2e%2fsecret.txt",
  ];
  for (const path of outside) {
    test(`no path leaves the folder: ${path}`, async () => {
      const reply = await get(`/assets/${path}`);
      assert.ok(!reply.body.includes("outside"), reply.body);
      assert.notEqual(reply.statusCode, 500);
    });
  }
});
