// Passes on the requests of the git program over HTTPS: the network policy, TLS, the login and the limit of bytes stay in
// this process.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { request as send, type Agent } from "undici";
import type { Attempt } from "../attempt.ts";
import type { Failure } from "../connector.ts";
import { connectionFailure, dial, nameOf } from "../dial.ts";
import { agentTo } from "../http-over-stream.ts";
import { startTls } from "../start-tls.ts";
import { REFS, statusFailure, urlOf, type HttpsAccess } from "./https-answers.ts";
import type { GitProxy } from "./source.ts";

/** Other headers are not passed on. */
const REQUEST_HEADERS = ["accept", "accept-encoding", "content-encoding", "content-type", "git-protocol", "user-agent"];
const ANSWER_HEADERS = ["content-encoding", "content-type"];
const UPLOAD = "git-upload-pack";
const TOKEN_HEADER = "x-strongroom-proxy";

class Unreachable extends Error {
  failure: Failure;
  constructor(failure: Failure) {
    super("unreachable");
    this.failure = failure;
  }
}

export async function startHttpsProxy(access: HttpsAccess, current: Attempt, maxBytes: number): Promise<GitProxy> {
  const token = randomBytes(32).toString("hex");
  const { endpoint, tls } = access;
  let failure: Failure | "bytes" | null = null;
  let left = maxBytes;
  const agent = agentTo(async () => {
    const dialled = await dial(endpoint, current, Infinity);
    if ("failure" in dialled) throw new Unreachable(dialled.failure);
    const secured = await startTls(dialled.stream, tls, endpoint, ["http/1.1"]);
    if ("failure" in secured) throw new Unreachable(secured.failure);
    return secured.stream;
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = requestOf(request, access, token);
    if (wanted === null) {
      response.writeHead(404).end();
      return;
    }
    const { repository, url } = wanted;
    const answer = await sendOn(agent, request, url, access, current);
    const contentType = answer.headers["content-type"]?.toString() ?? null;
    const isRefs = request.method === "GET";
    const refused =
      isRefs || answer.statusCode !== 200
        ? statusFailure({ status: answer.statusCode, contentType }, { where: nameOf(endpoint), repository })
        : null;
    if (refused !== null) {
      failure = refused;
      answer.body.on("error", () => {}).destroy();
      response.writeHead(502).end();
      return;
    }
    response.writeHead(200, chosen(answer.headers, ANSWER_HEADERS));
    await pipeline(answer.body, limited, response);
  }

  async function* limited(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const part of parts) {
      left -= part.length;
      if (left < 0) {
        failure = "bytes";
        throw new Error("too much");
      }
      yield part;
    }
  }

  const server = createServer((request, response) => {
    response.on("error", () => {});
    pass(request, response).catch((error: unknown) => {
      failure ??= error instanceof Unreachable ? error.failure : connectionFailure(error, endpoint);
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (repository) => `http://127.0.0.1:${port}/${access.repositories.indexOf(repository)}`,
    protocol: "http",
    settings: [["http.extraHeader", `${TOKEN_HEADER}: ${token}`]],
    takeFailure: () => {
      const taken = failure;
      failure = null;
      return taken;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      void agent.destroy();
    },
  };
}

/** Null for everything but the two requests of a fetch with the token. */
function requestOf({ headers, method, url = "" }: IncomingMessage, access: HttpsAccess, token: string) {
  const given = Buffer.from(headers[TOKEN_HEADER]?.toString() ?? "");
  const isAllowed = given.length === token.length && timingSafeEqual(given, Buffer.from(token));
  const [, index = "", rest = ""] = /^\/(\d{1,3})\/(.*)$/.exec(url) ?? [];
  const repository = access.repositories[Number(index)];
  const isFetch = (method === "GET" && rest === REFS) || (method === "POST" && rest === UPLOAD);
  return isAllowed && isFetch && index !== "" && repository !== undefined
    ? { repository, url: urlOf(access, repository, rest) }
    : null;
}

function sendOn(agent: Agent, request: IncomingMessage, url: URL, access: HttpsAccess, current: Attempt) {
  return send(url, {
    dispatcher: agent,
    method: request.method === "POST" ? "POST" : "GET",
    headers: { ...chosen(request.headers, REQUEST_HEADERS), authorization: access.authorization },
    body: request.method === "POST" ? request : null,
    signal: current.signal,
    // A server packs a large repository before it answers.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function chosen(headers: Record<string, string | string[] | undefined>, names: readonly string[]) {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}
