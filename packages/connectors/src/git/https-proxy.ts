// Passes on the requests of the git program over HTTPS: the network policy, TLS, the login and the limit of bytes stay in
// this process.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { request as send, type Agent } from "undici";
import type { Attempt } from "../attempt.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { NoAnswer, agentOf } from "../http-over-stream.ts";
import { REFS, statusFailure, urlOf, type HttpsAccess } from "./https-answers.ts";
import { ProxyState } from "./proxy-state.ts";
import type { GitProxy } from "./source.ts";

/** Other headers are not passed on. */
const REQUEST_HEADERS = ["accept", "accept-encoding", "content-encoding", "content-type", "git-protocol", "user-agent"];
const ANSWER_HEADERS = ["content-encoding", "content-type"];
const UPLOAD = "git-upload-pack";
const TOKEN_HEADER = "x-strongroom-proxy";

export async function startHttpsProxy(access: HttpsAccess, current: Attempt, maxBytes: number): Promise<GitProxy> {
  const state = new ProxyState(maxBytes);
  const { endpoint, tls } = access;
  const agent = agentOf(current, tls);

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = requestOf(request, access, state);
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
      state.fail(refused);
      answer.body.on("error", () => {}).destroy();
      response.writeHead(502).end();
      return;
    }
    response.writeHead(200, chosen(answer.headers, ANSWER_HEADERS));
    await pipeline(
      answer.body,
      async function* (parts: AsyncIterable<Buffer>) {
        for await (const part of parts) yield state.count(part);
      },
      response,
    );
  }

  const server = createServer((request, response) => {
    response.on("error", () => {});
    pass(request, response).catch((error: unknown) => {
      state.failUnlessFailed(error instanceof NoAnswer ? error.failure : connectionFailure(error, endpoint));
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (repository) => `http://127.0.0.1:${port}/${access.repositories.indexOf(repository)}`,
    protocol: "http",
    settings: [["http.extraHeader", `${TOKEN_HEADER}: ${state.token}`]],
    takeFailure: () => state.takeFailure(),
    close: () => {
      server.closeAllConnections();
      server.close();
      void agent.destroy();
    },
  };
}

/** Null for everything but the two requests of a fetch with the token. */
function requestOf({ headers, method, url = "" }: IncomingMessage, access: HttpsAccess, state: ProxyState) {
  const isAllowed = state.isToken(headers[TOKEN_HEADER]?.toString() ?? "");
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
