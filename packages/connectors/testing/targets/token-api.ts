// An HTTPS API on loopback that requires a token, and misbehaves on other paths.
import { once } from "node:events";
import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import type { ServerCertificate } from "../certificates.ts";

export interface TokenApi {
  host: string;
  port: number;
  /** `https://127.0.0.1:port`, or `http://…` without a certificate. */
  origin: string;
  /** Method, path and the header of the token of every request so far. */
  requests(): readonly { method: string; path: string; authorization: string | null }[];
  stop(): Promise<void>;
}

export interface TokenApiOptions {
  token: string;
  /** Null serves plain HTTP. */
  certificate: ServerCertificate | null;
  /** The header that carries the token, and the text before it. */
  header?: string;
  prefix?: string;
}

export async function startTokenApi({
  token,
  certificate,
  header = "authorization",
  prefix = "Bearer ",
}: TokenApiOptions): Promise<TokenApi> {
  const requests: { method: string; path: string; authorization: string | null }[] = [];
  const answer: RequestListener = (request, response) => {
    const authorization = request.headers[header]?.toString() ?? null;
    requests.push({ method: request.method ?? "", path: request.url ?? "", authorization });
    respond(request, response, authorization === `${prefix}${token}`);
  };
  const server =
    certificate === null
      ? createHttp(answer)
      : createHttps({ cert: certificate.certificate, key: certificate.privateKey }, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    host: "127.0.0.1",
    port,
    origin: `${certificate === null ? "http" : "https"}://127.0.0.1:${port}`,
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function respond(request: IncomingMessage, response: ServerResponse, isKnown: boolean): void {
  switch (request.url ?? "") {
    case "/open":
      response.end("hello");
      return;
    case "/blocked":
      response.writeHead(isKnown ? 403 : 401).end();
      return;
    case "/moved":
      response.writeHead(302, { location: "https://elsewhere.example/" }).end();
      return;
    case "/busy":
      response.writeHead(429, { "retry-after": "60" }).end();
      return;
    case "/broken":
      response.writeHead(500).end();
      return;
    case "/endless": {
      response.writeHead(isKnown ? 200 : 401);
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", pour);
      pour();
      return;
    }
    case "/me":
      response.writeHead(isKnown ? 200 : 401, isKnown ? { "set-cookie": "session=1" } : {}).end();
      return;
    default:
      response.writeHead(404).end();
  }
}
