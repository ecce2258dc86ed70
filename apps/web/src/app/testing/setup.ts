// What jsdom lacks and Mantine asks for, and a clean page between tests.
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// The whole page in every failure hides the sentence that says what is missing; and a loaded machine is no failure.
configure({ getElementError: (message) => new Error(message ?? "not found"), asyncUtilTimeout: 10_000 });

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});

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
