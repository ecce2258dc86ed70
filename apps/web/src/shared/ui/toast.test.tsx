import { notifications } from "@mantine/notifications";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { MAX_TOASTS, TOASTS_WIDTH, TOP_OF_TOASTS, topBelow } from "./place-toasts.ts";
import { DURATIONS, HOVER_MS, toast, toastToDrop } from "./toast.ts";

beforeEach(() => {
  toast.dismiss();
  notifications.clean();
});

test("SHELL-43, OPEN-32: a toast lasts 4 s by default, 3 s for success, 5 s for error, and never expires for loading", () =>
  expect(DURATIONS).toEqual({ custom: 4000, success: 3000, error: 5000, loading: false }));

test("SHELL-43: a toast shows at the top right", async () => {
  renderScreen(<p>page</p>);
  act(() => void toast.success("Saved"));
  const place = (await screen.findByText("Saved")).closest("[data-position]");
  expect(place?.getAttribute("data-position")).toBe("top-right");
});

test("a toast disappears after its duration", async () => {
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

test("SHELL-42, OPEN-34: at most 20 toasts show, and the oldest expiring one is dropped first", async () => {
  renderScreen(<p>page</p>);
  act(() => {
    toast.loading("loading stays");
    for (let count = 1; count <= MAX_TOASTS + 2; count += 1) toast.custom(`toast ${count}.`);
  });
  expect(await screen.findByText("toast 22.")).toBeTruthy();
  await waitFor(() => expect(screen.queryByText("toast 3.")).toBeNull());
  expect(screen.queryByText("toast 4.")).not.toBeNull();
  expect(screen.queryByText("loading stays")).not.toBeNull();
});

test("OPEN-34: the oldest toast is dropped when none expires", () => {
  const all = Array.from({ length: 20 }, (_, index) => ({ id: String(index), isExpiring: false }));
  expect(toastToDrop(all)?.id).toBe("0");
  expect(toastToDrop(all.slice(1))).toBeUndefined();
});

test("a toast replaces the one with the same id", async () => {
  renderScreen(<p>page</p>);
  act(() => void toast.loading("Verifying", { id: "v" }));
  act(() => void toast.success("Verified", { id: "v" }));
  expect(await screen.findByText("Verified")).toBeTruthy();
  expect(screen.queryByText("Verifying")).toBeNull();
});

test("only an error interrupts a screen reader", async () => {
  renderScreen(<p>page</p>);
  act(() => {
    toast.error("It failed");
    toast.success("It worked");
  });
  expect((await screen.findByRole("alert")).textContent).toContain("It failed");
});

test("every toast has a Dismiss button", async () => {
  const { user } = renderScreen(<p>page</p>);
  act(() => void toast.error("It failed", { duration: false }));
  await user.click(await screen.findByRole("button", { name: "Dismiss" }));
  await waitFor(() => expect(screen.queryByText("It failed")).toBeNull());
});

test("a toast closes even if the mouse rests on it", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    renderScreen(<p>page</p>);
    act(() => void toast.success("Saved"));
    const shown = (await screen.findByText("Saved")).closest("[role=status]");
    fireEvent.mouseEnter(shown!);
    fireEvent.mouseOver(shown!);
    act(() => void vi.advanceTimersByTime(DURATIONS.success + HOVER_MS + 500));
    await waitFor(() => expect(screen.queryByText("Saved")).toBeNull());
  } finally {
    vi.useRealTimers();
  }
});

describe("a toast does not cover the control that was just pressed", () => {
  const WINDOW = { innerWidth: 1440, innerHeight: 900 };
  const rect = (left: number, top: number, width = 160, height = 36) => new DOMRect(left, top, width, height);

  test.each([
    ["at the top right: the toast starts below it", rect(1240, 80), 124],
    ["at the top, left of the toasts: the toast stays at the top", rect(1440 - TOASTS_WIDTH - 300, 80), null],
    ["further down than the toast reaches: the toast stays at the top", rect(1240, 300), null],
  ])("%s", (_, control, top) => expect(topBelow(control, WINDOW)).toBe(top));

  test("pressing a button moves the next toast, and pressing elsewhere moves it back", async () => {
    const { user } = renderScreen(<button type="button">Save</button>);
    const button = screen.getByRole("button", { name: "Save" });
    button.getBoundingClientRect = () => rect(window.innerWidth - 200, 80);
    const top = () => document.documentElement.style.getPropertyValue(TOP_OF_TOASTS);
    await user.click(button);
    act(() => void toast.success("Saved"));
    expect(top()).toBe("124px");
    await user.click(document.body);
    act(() => void toast.success("Saved again"));
    expect(top()).toBe("");
  });
});
