// Malformed requests: refusals of the HTTP parser or router are answered as problem details with all security headers.
import { STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Problem } from "@strongroom/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { newId } from "../id.ts";
import type { Log } from "../log.ts";
import { problemOf } from "./problem.ts";
import { refuse } from "./refuse.ts";
import type { Refusal } from "./refuse.ts";
import { securityHeaders } from "./security-headers.ts";

const malformed = () => refuse(400, "request.malformed", "This is not a valid HTTP request.");

/** Keyed by the code of Node's error. Any other code means a request that cannot be parsed. */
const PARSER_REFUSALS: Record<string, () => Refusal> = {
  ERR_HTTP_REQUEST_TIMEOUT: () => refuse(408, "request.timeout", "The request did not arrive in time."),
  HPE_HEADER_OVERFLOW: () => refuse(431, "request.headers-too-large", "The URL or the headers are too long."),
};

/** Keyed by the code of Fastify's error. */
const ROUTER_REFUSALS: Record<string, () => Refusal> = {
  FST_ERR_BAD_URL: () => refuse(400, "request.malformed", "The URL is not valid."),
  FST_ERR_MAX_PARAM_LENGTH: () => refuse(414, "request.address-too-long", "A part of the URL is too long."),
};

/** The refusal for an error of the router, raised before a route was found. */
export const routerRefusal = ({ code }: { code: string }): Refusal => (ROUTER_REFUSALS[code] ?? malformed)();

const HOST = /^(\[[0-9a-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(:\d{0,5})?$/i;

/** Connections on which a request has been read. */
const inUse = new WeakSet<Socket>();

/** RFC 9112 §3.2: exactly one valid `Host`. An HTTP/1.0 client may omit it. */
export function requireHost({ raw }: FastifyRequest): void {
  inUse.add(raw.socket);
  let hosts = 0;
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    if (raw.rawHeaders[index]?.toLowerCase() === "host") hosts += 1;
  }
  if (hosts === 0 && raw.httpVersion === "1.0") return;
  if (hosts === 1 && HOST.test(raw.headers.host ?? "")) return;
  throw refuse(400, "request.host-invalid", "The request must name exactly one host.");
}

/** For `clientErrorHandler`. There is no request object at this point, so the reply is written by hand. */
export function answerParserError(config: Config, log: Log, error: Error & { code?: string }, socket: Socket): void {
  log.debug({ code: error.code }, "a request could not be read");
  // On a connection in use, the client would take the reply for all or part of the answer to an earlier request.
  if (socket.writable && !inUse.has(socket)) {
    const refusal = (PARSER_REFUSALS[error.code ?? ""] ?? malformed)();
    const { headers, body } = answerOf(config, refusal);
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines}\r\n${body}`);
  }
  socket.destroy(error);
}

/** Refuses `Expect` with any value except `100-continue`, which Node would answer itself. */
export function answerExpectations(http: FastifyInstance, config: Config): void {
  http.server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const refusal = refuse(417, "request.expectation", "The server does not support this Expect header.");
    const { headers, body } = answerOf(config, refusal);
    response.writeHead(refusal.status, headers.flat()).end(body);
  });
}

function answerOf(config: Config, refusal: Refusal): { headers: [string, string][]; body: string } {
  const id = newId();
  const body = JSON.stringify(Problem.parse(problemOf(refusal, id)));
  const headers: [string, string][] = [
    ...securityHeaders(config, { protocol: "http", url: "/api/" }),
    ["x-request-id", id],
    ["content-type", "application/problem+json; charset=utf-8"],
    ["content-length", String(Buffer.byteLength(body))],
    ["connection", "close"],
  ];
  return { headers, body };
}
