import { notifications } from "@mantine/notifications";
import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { DURATIONS, MOST_TOASTS, toast, toastToDrop } from "./toast.ts";

beforeEach(() => {
  toast.dismiss();
  notifications.clean();
});

test("SHELL-43, OPEN-32: 4 s by default, 3 s for success, 5 s for error, no expiry for loading", () =>
  expect(DURATIONS).toEqual({ custom: 4000, success: 3000, error: 5000, loading: false }));

test("SHELL-43: a toast shows at the top right", async () => {
  renderScreen(<p>page</p>);
  act(() => void toast.success("Saved"));
  const place = (await screen.findByText("Saved")).closest("[data-position]");
  expect(place?.getAttribute("data-position")).toBe("top-right");
});

test("a toast shows and goes after its time", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    renderScreen(<p>page</p>);
    act(() => void toast.success("Saved"));
    expect(await screen.findByText("Saved")).toBeTruthy();
    act(() => void vi.advanceTimersByTime(2900));
    expect(screen.queryByText("Saved")).not.toBeNull();
    act(() => void vi.advanceTimersByTime(600));
    await waitFor(() => expect(screen.queryByText("Saved")).toBeNull());
  } finally {
    vi.useRealTimers();
  }
});

test("SHELL-42, OPEN-34: at most 20 are kept, and the oldest that would expire gives way first", async () => {
  renderScreen(<p>page</p>);
  act(() => {
    toast.loading("loading stays");
    for (let count = 1; count <= MOST_TOASTS + 2; count += 1) toast.custom(`toast ${count}.`);
  });
  expect(await screen.findByText("toast 22.")).toBeTruthy();
  await waitFor(() => expect(screen.queryByText("toast 3.")).toBeNull());
  expect(screen.queryByText("toast 4.")).not.toBeNull();
  expect(screen.queryByText("loading stays")).not.toBeNull();
});

test("OPEN-34: when none would expire, the oldest goes", () => {
  const all = Array.from({ length: 20 }, (_, index) => ({ id: String(index), isExpiring: false }));
  expect(toastToDrop(all)?.id).toBe("0");
  expect(toastToDrop(all.slice(1))).toBeUndefined();
});

test("a toast with the id of another takes its place", async () => {
  renderScreen(<p>page</p>);
  act(() => void toast.loading("Verifying", { id: "v" }));
  act(() => void toast.success("Verified", { id: "v" }));
  expect(await screen.findByText("Verified")).toBeTruthy();
  expect(screen.queryByText("Verifying")).toBeNull();
});

test("an error interrupts a screen reader, the rest does not", async () => {
  renderScreen(<p>page</p>);
  act(() => {
    toast.error("It failed");
    toast.success("It worked");
  });
  expect((await screen.findByRole("alert")).textContent).toContain("It failed");
});

test("every toast can be dismissed by name", async () => {
  const { user } = renderScreen(<p>page</p>);
  act(() => void toast.error("It failed", { duration: false }));
  await user.click(await screen.findByRole("button", { name: "Dismiss" }));
  await waitFor(() => expect(screen.queryByText("It failed")).toBeNull());
});
