// How the web app is built and served during development. `npm start` builds it without what only tests need.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { precompress } from "./vite-precompress.ts";

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
});
