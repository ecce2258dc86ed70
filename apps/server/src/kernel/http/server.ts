// The HTTP server: limits, security headers, request ids and problem details. Independent of features.
import compress from "@fastify/compress";
import { Problem } from "@strongroom/contract";
import { LogController, fastify } from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { databaseRefusal } from "../db/database-error.ts";
import { newId } from "../id.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { clientAddress } from "./client-address.ts";
import { answerExpectations, answerParserError, requireHost, routerRefusal } from "./malformed.ts";
import { asRefusal, internalError, problemOf } from "./problem.ts";
import { refuse } from "./refuse.ts";
import { securityHeaders } from "./security-headers.ts";
import { isWebSocket, routeUpgrades } from "./upgrade.ts";

const BODY_LIMIT = 1_048_576;
/**
 * Compressing small answers gains nothing. Secrets are small, so they are never compressed together with attacker-chosen text.
 */
const COMPRESS_ABOVE = 4_096;

/** The files of the web app that a build names by their content. */
export const ASSETS_PATH = "/assets/:name(^\\w[\\w.-]*$)";

/** Paths outside the contract that the kernel itself serves; every other route must come from an endpoint. */
const KERNEL_PATHS = new Set(["/metrics", "/", "/*", "*", ASSETS_PATH]);

export async function createHttpServer(config: Config, log: Log, metrics: Metrics): Promise<FastifyInstance> {
  const http = fastify({
    loggerInstance: log,
    // One line per call is written below, instead of Fastify's two.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    genReqId: () => newId(),
    requestIdHeader: false,
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    return503OnClosing: true,
    requestTimeout: 60_000,
    // Checked by `requireHost`, which answers with problem details.
    http: { requireHostHeader: false, shouldUpgradeCallback: isWebSocket },
    clientErrorHandler: (error, socket) => answerParserError(config, log, error, socket),
    frameworkErrors: (error, request, reply) => {
      setHeaders(config, request, reply);
      sendProblem(reply as FastifyReply, routerRefusal(error), request.id);
    },
  }) as unknown as FastifyInstance;

  routeUpgrades(http);
  answerExpectations(http, config);
  addHooks(http, config, metrics);
  readJson(http);
  http.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error);
    if (refusal === null) request.log.error({ err: error }, "a call failed");
    else if (databaseRefusal(error) !== null)
      request.log.warn({ err: error, code: refusal.code }, "the database could not serve a call");
    sendProblem(reply, refusal ?? internalError(), request.id);
  });
  await http.register(compress, { threshold: COMPRESS_ABOVE, encodings: ["br", "gzip"] });
  return http;
}

function setHeaders(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  reply.header("x-request-id", request.id);
  for (const [name, value] of securityHeaders(config, request)) reply.header(name, value);
}

function addHooks(http: FastifyInstance, config: Config, metrics: Metrics): void {
  http.addHook("onRoute", (route) => {
    if (route.config?.endpoint !== undefined || KERNEL_PATHS.has(route.url)) return;
    throw new Error(`${route.url} is not an endpoint of the contract`);
  });
  http.addHook("onRequest", async (request, reply) => {
    setHeaders(config, request, reply);
    requireHost(request);
  });
  http.addHook("onResponse", async (request, reply) => {
    const endpoint = request.routeOptions.config.endpoint;
    metrics.countCall(endpoint?.path ?? "other", request.method, reply.statusCode, reply.elapsedTime / 1000);
    const line = { method: request.method, path: request.url.split("?", 1)[0], ip: clientAddress(request) };
    // Probes and scrapes come every few seconds and are not worth logging.
    const level = endpoint?.path.startsWith("/api/v1/health") || request.url === "/metrics" ? "debug" : "info";
    request.log[level]({ ...line, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, "call");
  });
}

/** Accepts an empty body with a JSON content type, because the browser's `call()` sends that type even without a body. */
function readJson(http: FastifyInstance): void {
  http.removeContentTypeParser("application/json");
  http.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => {
    try {
      done(null, body === "" ? undefined : JSON.parse(String(body)));
    } catch {
      done(refuse(400, "request.malformed", "The request body is not valid JSON."));
    }
  });
}

interface Answer {
  code(status: number): Answer;
  header(name: string, value: string): Answer;
  type(type: string): Answer;
  send(payload: string): unknown;
}

export function sendProblem(reply: Answer, refusal: ReturnType<typeof refuse>, requestId: string): void {
  if (refusal.extra.retryAfter !== undefined) reply.header("retry-after", String(refusal.extra.retryAfter));
  if (refusal.status === 401) reply.header("www-authenticate", "Bearer");
  reply
    .code(refusal.status)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(Problem.parse(problemOf(refusal, requestId))));
}
