// How the web app is built, served during development and tested.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { precompress } from "./vite-precompress.ts";

const TESTS = ["src/**/*.test.{ts,tsx}"];
const STATEFUL = [
  "src/shared/session/**/*.test.{ts,tsx}",
  "src/shared/events/**/*.test.{ts,tsx}",
  "src/app/guards.test.tsx",
];

const api = `http://127.0.0.1:${process.env["STRONGROOM_API_PORT"] ?? "3000"}`;
const proxy = { "/api": { target: api }, "/health": { target: api } };

export default defineConfig({
  plugins: [react(), precompress()],
  server: { host: "127.0.0.1", proxy },
  preview: { host: "127.0.0.1", proxy },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // The strict content security policy allows no inlined script, and a data: asset would need its own exception.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files that change at different times; Zod before the form, which would take it along. Of the contract
          // each page has what it uses.
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|react-router|scheduler)\// },
            { name: "zod", test: /node_modules\/zod\// },
            { name: "query", test: /node_modules\/@tanstack\/(query-core|react-query)\// },
            { name: "form", test: /node_modules\/(@mantine\/form|mantine-form-zod-resolver|klona|fast-deep-equal)\// },
          ],
        },
      },
    },
  },
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
    css: false,
  },
});
