// What jsdom lacks and Mantine asks for, and a clean page between tests.
import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, vi } from "vitest";

// The whole page in every failure hides the sentence that says what is missing; and a loaded machine is no failure.
configure({ getElementError: (message) => new Error(message ?? "not found"), asyncUtilTimeout: 10_000 });

// Files share an environment: what a test leaves behind fails others, where nobody looks for it.
afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error("a test left false timers behind");
});

// jsdom draws frames by one interval, begun when there is something to draw and ended when there is nothing more. Begun under
// false timers, which a test then puts away, it never fires again, and no later frame comes. So it begins here, and never ends.
const nextFrame = window.requestAnimationFrame.bind(window);
const dropFrame = window.cancelAnimationFrame.bind(window);
let frame = 0;
const drawOn = (): void => void (frame = nextFrame(drawOn));
drawOn();
afterAll(() => dropFrame(frame));

Object.defineProperty(window, "matchMedia", {
  writable: true,
  value: (query: string) => ({
    matches: false,
    media: query,
    onchange: null,
    addListener: vi.fn(),
    removeListener: vi.fn(),
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
    dispatchEvent: vi.fn(),
  }),
});

class NoResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.ResizeObserver ??= NoResizeObserver;
Object.defineProperty(window.HTMLElement.prototype, "scrollIntoView", { configurable: true, value: () => undefined });
window.scrollTo = () => undefined;
