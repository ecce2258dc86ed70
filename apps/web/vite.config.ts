// Vite configuration for builds and the development server. `npm start` builds without the test dependencies.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { precompress } from "./vite-precompress.ts";

const api = `http://127.0.0.1:${process.env["STRONGROOM_API_PORT"] ?? "3000"}`;
const proxy = { "/api": { target: api }, "/health": { target: api } };

/** Modules that at least this many lazy pages and dialogs use are loaded with the first of them, in one file. */
const SHARED_BY = 5;
/** Bytes before compression. Smaller parts are merged with a part that almost the same pages use. */
const SMALLEST_PART = 30_000;

export default defineConfig({
  plugins: [react(), precompress()],
  server: { host: "127.0.0.1", proxy },
  preview: { host: "127.0.0.1", proxy },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // The strict content security policy forbids inline scripts, and a data: asset would need its own exception.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // The sign-in page is an entry too, so that `$initial` contains what the first load needs.
      input: { index: "index.html", "sign-in": "src/features/sign-in/sign-in-page.tsx" },
      output: {
        // The files import from each other in cycles, so each module runs when the first one needs it.
        strictExecutionOrder: true,
        // Each file costs the browser and the server time, so modules are grouped by who loads them.
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|react-router|scheduler)\//, priority: 3 },
            { name: "zod", test: /node_modules\/zod\//, priority: 3 },
            { name: "first", tags: ["$initial"], priority: 2 },
            { name: "shared", minShareCount: SHARED_BY, priority: 1 },
            // Large libraries, such as charts and the terminal, keep their own files: merging would load them everywhere.
            {
              name: "part",
              test: /apps\/web\/src|packages\/contract|@mantine\/(core|hooks)|@tabler/,
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: SMALLEST_PART,
            },
          ],
        },
      },
    },
  },
});
