// Size of the first page load, and the time until a vault of 10,000 credentials and a table of 100,000 accounts are interactive.
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { launchBrowser, noBrowser } from "../e2e/testing/browser.ts";
import { fillSafes } from "./support/fill-safes.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { addCredentials, startBenchServer } from "./support/strongroom.ts";
import { figure, printTable, withRange } from "./support/table.ts";

const CREDENTIALS = Number(process.env.BENCH_CREDENTIALS ?? 10_000);
const ACCOUNTS = Number(process.env.BENCH_ACCOUNTS ?? 100_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SCROLL_MS = 3_000;

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

async function signedIn(baseURL: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto("/auth");
  await page.getByPlaceholder("Enter your email address").fill("bench@example.com");
  await page.getByPlaceholder("Enter your password").fill("a long enough password");
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("heading", { name: "Dashboard", exact: true }).waitFor();
  return page;
}

/** Milliseconds from opening the page until the list shows and its search box accepts a key press. */
async function interactive(page: Page, path: string, shown: (page: Page) => Locator): Promise<number> {
  const started = performance.now();
  await page.goto(path);
  await shown(page).first().waitFor();
  const search = page.getByRole("main").getByRole("searchbox").or(page.getByRole("main").getByRole("textbox")).first();
  await search.press("d");
  await page.waitForFunction(() => (document.activeElement as HTMLInputElement | null)?.value === "d");
  return performance.now() - started;
}

/** Each round uses a new browser context, which has cached only the files loaded by signing in. */
async function rounds(url: string, path: string, shown: (page: Page) => Locator): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const page = await signedIn(url);
    const time = await interactive(page, path, shown);
    // The first round warms the server up.
    if (round > 0) times.push(time);
    await page.context().close();
  }
  return times;
}

// More than 20 credentials are a table.
const credentialLinks = (page: Page) => page.getByRole("table", { name: "Credentials" }).getByRole("link");
const vault = await rounds(server.url, "/vault", credentialLinks);
printTable(["vault list", "credentials", "ms until interactive"], [["/vault", String(CREDENTIALS), withRange(vault)]]);
await server.close();

const postgres = await startBenchPostgres();
const databaseUrl = await postgres.database();
const company = await startBenchServer({ DATABASE_URL: databaseUrl });
const population = { users: 5_000, safes: 2_000, accounts: ACCOUNTS };
await fillSafes(databaseUrl, { users: 0, safes: 0, accounts: 0 }, population);
const accountLinks = (page: Page) => page.getByRole("table", { name: "Accounts" }).getByRole("link");

/** Milliseconds from a click on a header until the server's answer in that order is drawn. */
async function sorting(page: Page, header: string): Promise<number> {
  const started = performance.now();
  const answer = page.waitForResponse((response) => response.url().includes("sort="));
  await page.getByRole("button", { name: header, exact: true }).click();
  await (await answer).finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return performance.now() - started;
}

/** Frames per second while the page scrolls, and the number of rows that are drawn. */
async function scrolling(page: Page): Promise<{ frames: number; rows: number }> {
  const frames = await page.evaluate(async (ms) => {
    const started = performance.now();
    let count = 0;
    while (performance.now() - started < ms) {
      window.scrollBy(0, 120);
      await new Promise((done) => requestAnimationFrame(done));
      count += 1;
    }
    return (count * 1000) / (performance.now() - started);
  }, SCROLL_MS);
  return { frames, rows: await page.getByRole("row").count() };
}

const accounts = await rounds(company.url, "/accounts", accountLinks);
const page = await signedIn(company.url);
await page.goto("/accounts");
await accountLinks(page).first().waitFor();
const sorts: number[] = [];
for (const header of ["Hostname/IP", "Name", "Username"]) sorts.push(await sorting(page, header));
const { frames, rows } = await scrolling(page);
printTable(
  ["accounts table", "accounts", "ms until interactive", "ms until sorted", "frames/s while scrolling", "rows drawn"],
  [["/accounts", String(ACCOUNTS), withRange(accounts), withRange(sorts), figure(frames), String(rows)]],
);

await browser.close();
await company.close();
await postgres.stop();
