// The accessibility check of `inspectScreen` fails on text that cannot be read.
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, noBrowser } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";

describe("the accessibility check", needs(noBrowser || null), () => {
  let browser: Browser;
  let page: Page;

  before(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
  });
  after(() => browser?.close());

  const show = (style: string) =>
    page.setContent(
      `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1><a href="/x" style="${style}">Request Access</a></main>`,
    );

  test("accepts readable text", async () => {
    await show("background: #ffffff; color: #1d5a74");
    await inspectScreen(page, "readable-text");
  });

  for (const [contrast, style] of [
    ["1:1", "background: #1d5a74; color: #1d5a74"],
    ["2:1", "background: #ffffff; color: #b0b0b0"],
  ] as const)
    test(`fails on text with a contrast of ${contrast}`, async () => {
      await show(style);
      await assert.rejects(inspectScreen(page, "unreadable-text"), /color-contrast/);
    });

  for (const [why, style] of [
    ["a gradient", "background: linear-gradient(#ffffff, #1d5a74); color: #1d5a74"],
    ["an image", "background: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=); color: #1d5a74"],
  ] as const)
    test(`fails on text over ${why} because its contrast is unknown`, async () => {
      await show(style);
      await assert.rejects(inspectScreen(page, "unknown-contrast"), /color-contrast/);
    });

  const showCovered = (style: string) =>
    page.setContent(
      `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1><p style="${style}">Request Access</p>
       <div style="position: fixed; inset: 0; background: rgb(0 0 0 / 50%)"></div></main>`,
    );

  test("accepts covered text whose contrast is high enough", async () => {
    await showCovered("background: #ffffff; color: #1d5a74");
    await inspectScreen(page, "covered-text");
  });

  for (const [why, style] of [
    ["has a low contrast", "background: #ffffff; color: #b0b0b0"],
    ["is nearly transparent", "background: #ffffff; color: #1d5a74; opacity: 0.3"],
    ["is over a gradient", "background: linear-gradient(#ffffff, #1d5a74); color: #1d5a74"],
  ] as const)
    test(`fails on covered text that ${why}`, async () => {
      await showCovered(style);
      await assert.rejects(inspectScreen(page, "covered-text"), /color-contrast/);
    });

  test("fails on a single character that cannot be read", async () => {
    await page.setContent(
      `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1><p style="color: #b0b0b0">7</p></main>`,
    );
    await assert.rejects(inspectScreen(page, "unreadable-character"), /color-contrast/);
  });
});
