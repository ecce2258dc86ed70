// Serves the built web app: immutable assets, compressed ahead of time, and the page itself for every other path.
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { refuse } from "./refuse.ts";
import { ASSETS_PATH, sendProblem } from "./server.ts";

/** Also serves the page for all unmatched paths. Without a build in `folder`, or with null, this process serves only the API. */
export async function serveWebApp(http: FastifyInstance, folder: string | null): Promise<void> {
  const hasBuild = folder !== null && existsSync(join(folder, "index.html"));
  if (hasBuild) {
    await http.register(fastifyStatic, { root: folder, preCompressed: true, index: false, setHeaders });
    // The plugin's own route lists the whole folder for each request, to compare upper and lower case. A page has 200 assets.
    http.get<{ Params: { name: string } }>(ASSETS_PATH, ({ params }, reply) => reply.sendFile(`assets/${params.name}`));
    // Without this, the request would be for the folder itself, which the plugin refuses.
    http.get("/", (_request, reply) => reply.sendFile("index.html"));
  }
  http.setNotFoundHandler((request, reply) => {
    const isPage = hasBuild && request.method === "GET" && !/^\/(api|assets)\//.test(request.url);
    if (isPage) return reply.sendFile("index.html");
    return sendProblem(reply, refuse(404, "endpoint.not-found", "No such endpoint."), request.id);
  });
}

/** Asset names contain a content hash, so they are cached forever; the page is revalidated each time. */
function setHeaders(response: { header(name: string, value: string): unknown }, path: string): void {
  const isHashed = path.includes("/assets/");
  response.header("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
}
