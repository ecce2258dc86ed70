// An HTTPS server for fakes of JSON APIs: it parses requests, records them, and can answer one of them differently.
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeAuthority } from "../certificates.ts";

type Json = Record<string, unknown>;

export interface ApiRequest {
  method: string;
  url: URL;
  /** Of the header `Authorization`; null without one. */
  token: string | null;
  form: URLSearchParams;
  body: Json;
}

export interface ApiReply {
  status?: number;
  headers?: Record<string, string>;
  body: Json;
}

export interface FakeApi {
  host: string;
  port: number;
  /** PEM of the authority that signed the fake's certificate. */
  ca: string;
  origin: string;
  /** Method and path of each request, without the query. */
  requests: string[];
  /**
   * Replaces the next answer to a request whose method and path match; with null the request is carried out and not
   * answered.
   */
  answerOnce(call: RegExp, reply: ApiReply | null): void;
  stop(): Promise<void>;
}

/** `addresses`: additional addresses for the fake's certificate. */
export async function startFakeApi(
  addresses: readonly string[],
  answer: (request: ApiRequest) => ApiReply,
): Promise<FakeApi> {
  const authority = await makeAuthority();
  const { certificate, privateKey } = await authority.issue(["127.0.0.1", ...addresses]);
  const requests: string[] = [];
  let planned: { call: RegExp; reply: ApiReply | null } | null = null;
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      // A proxy between client and fake has another address.
      const url = new URL(request.url!, `https://${request.headers.host}`);
      const text = Buffer.concat(chunks).toString();
      const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
      const path = decodeURIComponent(url.pathname);
      const call = `${request.method} ${path}`;
      requests.push(call);
      const plan = planned?.call.test(call) === true ? planned : null;
      if (plan !== null) planned = null;
      const asked: ApiRequest = {
        method: request.method!,
        url,
        token: /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? null,
        form: new URLSearchParams(isForm ? text : ""),
        body: isForm || text === "" ? {} : (JSON.parse(text) as Json),
      };
      const { status = 200, headers = {}, body } = plan?.reply ?? answer(asked);
      if (plan?.reply === null) {
        response.destroy();
        return;
      }
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(status === 204 ? "" : JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    host: "127.0.0.1",
    port,
    ca: authority.certificate,
    origin: `https://127.0.0.1:${port}`,
    requests,
    answerOnce: (call, reply) => (planned = { call, reply }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
