// Memory and duration of a range scan of a /16 at loopback addresses, compared with bare connects at the same rate.
import { addressSet, networkPolicy, scanRangeInWorker } from "@strongroom/connectors";
import { createServer, connect } from "node:net";
import { printTable } from "./support/table.ts";

const MEGABYTE = 1_048_576;
const LIMIT_MB = 200;
const RATE = 2000;
const LISTENERS = 64;

const port = 20_022;
const servers = await Promise.all(
  Array.from({ length: LISTENERS }, async (_, index) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write("220 a listener\r\n");
    });
    await new Promise<void>((resolve) => server.listen(port, `127.90.${index}.${index + 1}`, resolve));
    return server;
  }),
);

const addresses = addressSet({ ranges: ["127.90.0.0/16"], exclusions: [] });
if ("error" in addresses) throw new Error(addresses.error);
let peak = 0;
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
let found = 0;
const started = performance.now();
await scanRangeInWorker({
  addresses,
  ports: [port],
  rate: RATE,
  timeoutMs: 1000,
  from: 0,
  network: networkPolicy({ allowLoopback: true }),
  signal: new AbortController().signal,
  onHost: async () => void (found += 1),
  onProgress: async () => undefined,
});
const scanned = (performance.now() - started) / 1000;
clearInterval(watch);

const bareStarted = performance.now();
for (let index = 0; index < 2000; index += 1) {
  await new Promise<void>((resolve) => {
    const socket = connect({ host: `127.91.${index >> 8}.${index & 255}`, port });
    socket.once("error", () => resolve());
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
const bare = (performance.now() - bareStarted) / 2000;
for (const server of servers) server.close();

printTable(
  ["measure", "value"],
  [
    ["addresses", addresses.count.toLocaleString("en")],
    ["hosts found", `${found} of ${LISTENERS}`],
    [
      "duration",
      `${scanned.toFixed(1)} s (${(addresses.count / scanned).toFixed(0)} addresses per second, rate ${RATE})`,
    ],
    ["one bare connect", `${bare.toFixed(2)} ms`],
    ["peak memory", `${(peak / MEGABYTE).toFixed(0)} MB (limit ${LIMIT_MB} MB)`],
  ],
);
if (found !== LISTENERS || peak / MEGABYTE > LIMIT_MB) process.exitCode = 1;
