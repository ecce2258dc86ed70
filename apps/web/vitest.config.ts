// How the web app is tested. Not with how it is built: who only starts Strongroom has no Vitest.
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
        // One environment for many files: half the time. What keeps state of its own has files to itself.
        { extends: true, test: { name: "pages", include: TESTS, exclude: STATEFUL, isolate: false } },
        { extends: true, test: { name: "state", include: STATEFUL } },
      ],
      setupFiles: ["./src/app/testing/setup.ts"],
      // A loaded machine is no failure.
      testTimeout: 30_000,
      restoreMocks: true,
      unstubGlobals: true,
      css: false,
    },
  }),
);
