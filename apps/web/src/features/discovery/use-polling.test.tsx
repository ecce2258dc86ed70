// Tests of the polling rules of discovery (SCAN-06, SCAN-18 to SCAN-21, SCAN-23).
import { QueryClientProvider, QueryObserver } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createQueryClient } from "#shared/api/query.ts";
import { SCAN_START } from "#shared/discovery/discovery-tab.ts";
import { connectLiveEvents } from "#shared/events/live-events.ts";
import { isOpen } from "./discovery-labels.ts";
import { usePolling, type Polled } from "./use-polling.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The hook in a page that shows one list; `polls` counts its refetches. */
async function aPage(polled: Polled) {
  const client = createQueryClient();
  let polls = -1;
  const list = { queryKey: ["api", "v1", "discovery", "scans"], queryFn: () => Promise.resolve(++polls) };
  const stop = new QueryObserver(client, list).subscribe(() => undefined);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const hook = renderHook(usePolling, { wrapper, initialProps: polled });
  /** In steps, because React renders at the end of each. */
  async function pass(seconds: number): Promise<void> {
    for (let left = seconds * 1000; left >= 0; left -= 500)
      await act(() => vi.advanceTimersByTimeAsync(Math.min(left, 500)));
  }
  await pass(0);
  return { client, hook, pass, stop, polls: () => polls };
}

test.each(["pending", "running", "in_progress", "started", "active"])(
  "SCAN-06, SCAN-18: %s counts as running",
  (status) => {
    expect(isOpen(status)).toBe(true);
  },
);

test.each(["completed", "failed", "cancelled"])("a scan that is %s does not run", (status) => {
  expect(isOpen(status)).toBe(false);
});

describe("without live events", () => {
  test("SCAN-18, SCAN-19, SCAN-21: polls every 5 s while a scan runs, and stops afterwards", async () => {
    const page = await aPage({ isRunning: true, tab: "targets" });
    await page.pass(4.9);
    expect(page.polls()).toBe(0);
    await page.pass(0.2);
    expect(page.polls()).toBe(1);
    await page.pass(10);
    expect(page.polls()).toBe(3);
    page.hook.rerender({ isRunning: false, tab: "targets" });
    await page.pass(60);
    expect(page.polls()).toBe(3);
    page.stop();
  });

  test.each(["scans", "enhanced-scans"] as const)("SCAN-23: the tab %s refreshes every 10 s", async (tab) => {
    const page = await aPage({ isRunning: false, tab });
    await page.pass(20.1);
    expect(page.polls()).toBe(2);
    page.stop();
  });

  test("SCAN-20: polls every 5 s for 120 s after a start", async () => {
    const page = await aPage({ isRunning: false, tab: "targets" });
    const start = page.client.getMutationCache().build(page.client, {
      mutationKey: SCAN_START,
      mutationFn: () => Promise.resolve("started"),
    });
    await act(() => start.execute(undefined));
    await page.pass(118);
    expect(page.polls()).toBe(23);
    await page.pass(3);
    const last = page.polls();
    await page.pass(60);
    expect(page.polls()).toBe(last);
    page.stop();
  });
});

test("OPEN-113: live events replace polling", async () => {
  const page = await aPage({ isRunning: true, tab: "scans" });
  let disconnect = () => {};
  act(() => {
    disconnect = connectLiveEvents({
      userId: "a user",
      onGap: () => undefined,
      sharing: null,
      open: ({ onOpen }) => {
        onOpen();
        return () => undefined;
      },
    });
  });
  await page.pass(60);
  expect(page.polls()).toBe(0);
  act(() => disconnect());
  await page.pass(5.1);
  expect(page.polls()).toBe(1);
  page.stop();
});
