// Size of the first page load, and the time until a vault of 10,000 credentials is interactive.
import { brotliCompressSync, gzipSync } from "node:zlib";
import { launchBrowser, noBrowser } from "../e2e/testing/browser.ts";
import { addCredentials, startBenchServer } from "./support/strongroom.ts";
import { figure, printTable, withRange } from "./support/table.ts";

const CREDENTIALS = Number(process.env.BENCH_CREDENTIALS ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

if (noBrowser !== false) throw new Error(noBrowser);
const server = await startBenchServer();
await addCredentials(server, CREDENTIALS);
const browser = await launchBrowser();

interface Loaded {
  script: Buffer[];
  style: Buffer[];
}

/** All resources of one type that a page fetches until it shows `text`. */
async function firstLoad(path: string, text: string): Promise<Loaded> {
  const page = await browser.newPage();
  const loaded: Loaded = { script: [], style: [] };
  const bodies: Promise<void>[] = [];
  page.on("response", (response) => {
    const type = response.request().resourceType();
    if (type !== "script" && type !== "stylesheet") return;
    bodies.push(response.body().then((body) => void loaded[type === "script" ? "script" : "style"].push(body)));
  });
  await page.goto(`${server.url}${path}`);
  await page.getByText(text).first().waitFor();
  await page.waitForLoadState("networkidle");
  await Promise.all(bodies);
  await page.close();
  return loaded;
}

const kilobytes = (bodies: readonly Buffer[], compress: (body: Buffer) => Buffer) =>
  figure(bodies.reduce((sum, body) => sum + compress(body).length, 0) / 1000);
const row = (name: string, bodies: readonly Buffer[]) => [
  name,
  String(bodies.length),
  kilobytes(bodies, (body) => body),
  kilobytes(bodies, (body) => gzipSync(body, { level: 9 })),
  kilobytes(bodies, (body) => brotliCompressSync(body)),
];
const first = await firstLoad("/auth", "Sign In");
printTable(
  ["first load (sign-in page)", "files", "kB", "kB gzip", "kB brotli"],
  [row("script", first.script), row("style", first.style)],
);

/** Milliseconds from opening the page until the list shows and its search box accepts a key press. */
async function interactive(): Promise<number> {
  const context = await browser.newContext({ baseURL: server.url });
  const page = await context.newPage();
  await page.goto("/auth");
  await page.getByPlaceholder("Enter your email address").fill("bench@example.com");
  await page.getByPlaceholder("Enter your password").fill("a long enough password");
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("heading", { name: "Dashboard", exact: true }).waitFor();
  const started = performance.now();
  await page.goto("/vault");
  await page.getByRole("button", { name: "Verify Now" }).first().waitFor();
  const search = page.getByRole("main").getByRole("searchbox").or(page.getByRole("main").getByRole("textbox")).first();
  await search.press("d");
  await page.waitForFunction(() => (document.activeElement as HTMLInputElement | null)?.value === "d");
  const elapsed = performance.now() - started;
  await context.close();
  return elapsed;
}

const times: number[] = [];
await interactive();
for (let round = 0; round < ROUNDS; round++) times.push(await interactive());
printTable(["vault list", "credentials", "ms until interactive"], [["/vault", String(CREDENTIALS), withRange(times)]]);

await browser.close();
await server.close();
