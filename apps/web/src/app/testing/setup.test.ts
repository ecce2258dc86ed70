// Tests that one test's state does not leak into the next.
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.useRealTimers());

const oneFrame = () => new Promise<number>(requestAnimationFrame);

function focusAndLeave(): void {
  const button = document.body.appendChild(document.createElement("button"));
  button.focus();
  button.remove();
}

type Timers = Parameters<typeof vi.useFakeTimers>[0];

test.each<[string, Timers, () => void]>([
  ["all timers", {}, focusAndLeave],
  ["some timers", { toFake: ["Date", "setInterval", "clearInterval"] }, () => void oneFrame()],
])("animation frames still fire after a test that faked %s", async (_, timers, draw) => {
  await oneFrame();
  vi.useFakeTimers(timers);
  draw();
  vi.useRealTimers();
  const drawn = vi.fn<() => void>();
  requestAnimationFrame(drawn);
  await expect.poll(() => drawn.mock.calls.length).toBe(1);
});
