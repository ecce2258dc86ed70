// Adds the browser APIs that Mantine needs and jsdom lacks, and cleans the page between tests.
import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, vi } from "vitest";

// Omits the page's HTML from failures, because it hides the message. The timeout allows for a loaded machine.
configure({ getElementError: (message) => new Error(message ?? "not found"), asyncUtilTimeout: 10_000 });

// Test files share an environment, so state left by one test can fail another file.
afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error("a test left false timers behind");
});

// jsdom draws frames from one interval that it starts with the first pending frame and stops after the last. An
// interval started under fake timers never fires after the test restores real timers, so no later frame fires.
// Starting it here and never stopping it avoids that.
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
