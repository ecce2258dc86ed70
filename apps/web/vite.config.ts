// Vite configuration for builds and the development server. `npm start` builds without the test dependencies.
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
    // The strict content security policy forbids inline scripts, and a data: asset would need its own exception.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A few chunks that change at different times. Zod comes before the form chunk, which would otherwise
          // absorb it. Each page loads only the parts of the contract it uses.
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|react-router|scheduler)\// },
            { name: "zod", test: /node_modules\/zod\// },
            { name: "query", test: /node_modules\/@tanstack\/(query-core|react-query)\// },
            { name: "form", test: /node_modules\/(@mantine\/form|klona|fast-deep-equal)\// },
          ],
        },
      },
    },
  },
});
