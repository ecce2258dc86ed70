// Loading the list of toasts when it is first needed.
import { MantineProvider } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** Number of attempts to load the list that fail, as without a network. */
const failures = vi.hoisted(() => ({ left: 0, attempts: 0 }));

beforeEach(() => {
  vi.resetModules();
  notifications.clean();
  failures.left = 0;
  failures.attempts = 0;
  vi.doMock("./toast-list.tsx", async (original) => {
    failures.attempts += 1;
    if (failures.left-- > 0) throw new Error("Failed to fetch dynamically imported module");
    return await original();
  });
});

afterEach(() => {
  vi.doUnmock("./toast-list.tsx");
  vi.useRealTimers();
});

/** The modules of a page that has just opened: the list has not loaded. */
async function openPage() {
  const { toast } = await import("./toast.ts");
  const { ToastRegion } = await import("./toast-region.tsx");
  render(
    <MantineProvider env="test">
      <ToastRegion />
    </MantineProvider>,
  );
  return toast;
}

test("a visitor's page loads no list of toasts until the first toast", async () => {
  const toast = await openPage();
  expect(failures.attempts).toBe(0);
  act(() => void toast.success("Saved"));
  expect(await screen.findByText("Saved")).toBeTruthy();
  expect(failures.attempts).toBe(1);
});

test("toasts shown before the list has loaded appear in order, with replacements and dismissals applied", async () => {
  const toast = await openPage();
  act(() => {
    toast.custom("First");
    toast.loading("Verifying", { id: "v" });
    const dismissed = toast.custom("Dismissed");
    toast.success("Verified", { id: "v" });
    toast.dismiss(dismissed);
    toast.error("Last");
  });
  await screen.findByText("Last");
  const texts = screen.getAllByRole("status").map((each) => each.textContent);
  expect(texts.join(" ")).toMatch(/First.*Verified/);
  expect(screen.queryByText("Verifying")).toBeNull();
  expect(screen.queryByText("Dismissed")).toBeNull();
});

test("no toast is lost when loading the list fails", async () => {
  failures.left = 2;
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const toast = await openPage();
  act(() => void toast.error("The server cannot be reached"));
  await vi.waitFor(() => expect(failures.attempts).toBe(1));
  expect(screen.queryByText("The server cannot be reached")).toBeNull();
  await vi.waitFor(
    async () => {
      await act(() => vi.advanceTimersByTimeAsync(1000));
      screen.getByText("The server cannot be reached");
    },
    { timeout: 10_000 },
  );
  expect(failures.attempts).toBe(3);
});
