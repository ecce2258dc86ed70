// What one test leaves behind does not reach the next.
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.useRealTimers());

const oneFrame = () => new Promise(requestAnimationFrame);

function focusAndLeave(): void {
  const button = document.body.appendChild(document.createElement("button"));
  button.focus();
  button.remove();
}

test.each([
  ["all timers", undefined, focusAndLeave],
  ["some timers", ["Date", "setInterval", "clearInterval"] as const, () => void oneFrame()],
])("frames are drawn also after a test that had %s false while something was drawn", async (_, toFake, draw) => {
  await oneFrame();
  vi.useFakeTimers(toFake === undefined ? {} : { toFake: [...toFake] });
  draw();
  vi.useRealTimers();
  const drawn = vi.fn<() => void>();
  requestAnimationFrame(drawn);
  await expect.poll(() => drawn.mock.calls.length).toBe(1);
});
