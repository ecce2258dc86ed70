// Vitest configuration, separate from Vite's because production installs have no Vitest.
import { defineConfig, mergeConfig } from "vitest/config";
import build from "./vite.config.ts";

const TESTS = ["src/**/*.test.{ts,tsx}"];
const STATEFUL = [
  "src/shared/session/**/*.test.{ts,tsx}",
  "src/shared/events/**/*.test.{ts,tsx}",
  "src/app/guards.test.tsx",
];

export default mergeConfig(
  build,
  defineConfig({
    test: {
      environment: "jsdom",
      projects: [
        // One environment for many files halves the run time. Files that keep module state run isolated.
        { extends: true, test: { name: "pages", include: TESTS, exclude: STATEFUL, isolate: false } },
        { extends: true, test: { name: "state", include: STATEFUL } },
      ],
      setupFiles: ["./src/app/testing/setup.ts"],
      // Allows for a loaded machine.
      testTimeout: 30_000,
      restoreMocks: true,
      unstubGlobals: true,
      css: false,
    },
  }),
);
