// A small real HTTP server for tests: answers by "METHOD /path" and records the requests.
import { streamEvents, type LiveEvent } from "@strongroom/contract";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { TIMEOUT_MS, configureCalls } from "#shared/api/call.ts";

interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; undefined when there is no body. */
  body: unknown;
}

export interface ApiAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged as plain text. */
  text?: string;
  /** Cuts the connection and sends no response. */
  isCut?: boolean;
}

/** A fixed response, or a function of the request; a promise can stay pending until the test resolves it. */
export type ApiRoute = ApiAnswer | ((request: ApiRequest) => ApiAnswer | Promise<ApiAnswer>);

export interface TestApi {
  url: string;
  requests: ApiRequest[];
  /** Adds or replaces a route: `api.on("GET /api/v1/health", { json })`. `:id` in a path matches one segment. */
  on: (route: string, answer: ApiRoute) => void;
  requestsTo: (route: string) => ApiRequest[];
  /** Sends an event on the event stream, after waiting for a client to connect. The stream needs no authentication. */
  sendEvent: (event: LiveEvent) => Promise<void>;
  close: () => Promise<void>;
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? undefined : JSON.parse(text);
}

function matches(route: string, method: string, path: string): boolean {
  const [routeMethod, routePath = ""] = route.split(" ");
  if (routeMethod !== method) return false;
  const wanted = routePath.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith(":") || part === given[at]);
}

function answer(response: ServerResponse, given: ApiAnswer): void {
  if (given.isCut === true) {
    response.destroy();
    return;
  }
  const isText = given.text !== undefined;
  response.writeHead(given.status ?? 200, {
    "content-type": isText ? "text/plain" : "application/json",
    connection: "close",
    ...given.headers,
  });
  response.end(isText ? given.text : JSON.stringify(given.json ?? {}));
}

/** A problem as the server sends it (RFC 9457). */
export const problem = (
  status: number,
  code: string,
  message: string,
  more: Record<string, unknown> = {},
): ApiAnswer => ({
  status,
  json: { type: "about:blank", title: code, status, code, detail: message, message, request_id: "test", ...more },
});

const EVENTS = `${streamEvents.method} ${streamEvents.path}`;

/** The event stream unless the test replaces the route: open, and silent until the test sends an event. */
function eventStreams() {
  const open = new Set<ServerResponse>();
  let isListenedTo = Promise.withResolvers<void>();
  return {
    add(response: ServerResponse): void {
      response.writeHead(200, { "content-type": "text/event-stream", connection: "close" });
      response.write("event: hello\ndata: {}\n\n");
      open.add(response);
      isListenedTo.resolve();
      response.on("close", () => {
        open.delete(response);
        if (open.size === 0) isListenedTo = Promise.withResolvers();
      });
    },
    async send(event: LiveEvent): Promise<void> {
      await isListenedTo.promise;
      const frame = `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      for (const response of open) response.write(frame);
    },
  };
}

/** Resets the callbacks of `call` that an earlier test configured. */
const NOBODY = {
  token: () => null,
  onUnauthorized: () => undefined,
  onSealed: () => undefined,
  proveAgain: () => Promise.resolve(false),
  timeoutMs: TIMEOUT_MS,
};

/** Starts the server and points `call` at it. Close it at the end of the test. */
export async function startApi(routes: Record<string, ApiRoute> = {}): Promise<TestApi> {
  const table = new Map(Object.entries(routes));
  const requests: ApiRequest[] = [];
  const streams = eventStreams();
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? "/", "http://test");
    void bodyOf(incoming).then(async (body) => {
      const method = incoming.method ?? "GET";
      const request: ApiRequest = {
        method,
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body,
      };
      requests.push(request);
      const exact = table.get(`${method} ${url.pathname}`);
      const route = exact ?? [...table].find(([key]) => matches(key, method, url.pathname))?.[1];
      if (route === undefined && `${method} ${url.pathname}` === EVENTS) return streams.add(response);
      if (route === undefined)
        return answer(response, problem(404, "not-found", `No test answer for ${method} ${url.pathname}`));
      answer(response, typeof route === "function" ? await route(request) : route);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  configureCalls({ ...NOBODY, baseUrl: url, isDeployed: false, wait: () => Promise.resolve() });
  return {
    url,
    requests,
    on: (route, given) => void table.set(route, given),
    requestsTo: (route) => requests.filter(({ method, path }) => matches(route, method, path)),
    sendEvent: streams.send,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
