// Sends malformed requests over a raw connection: each gets problem details with all security headers, or no answer.
import assert from "node:assert/strict";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

let app: TestApp;
let port: number;
before(async () => {
  app = await testApp();
  await app.http.listen({ port: 0, host: "127.0.0.1" });
  port = (app.http.server.address() as AddressInfo).port;
});
after(() => app.close());

/** All data that the server sends until it closes the connection. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (received += chunk));
    socket.once("close", () => resolve(received));
    socket.once("error", reject);
  });
}

interface Answer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

function read(text: string): Answer {
  const [head = "", body = ""] = text.split("\r\n\r\n", 2);
  const [status = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
  return {
    status: Number(status.split(" ")[1]),
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body,
  };
}

const CLOSE = "Connection: close\r\n\r\n";
const HOST = `Host: vault.example.com\r\n${CLOSE}`;
const LOGIN = "POST /api/v1/auth/login HTTP/1.1\r\nHost: vault.example.com\r\n";
const HEALTH = "GET /api/v1/health HTTP/1.1\r\n";

const CASES: Record<string, { request: string; status: number; code: string }> = {
  "an address that is not valid UTF-8": {
    request: `GET /%E0%A4%A HTTP/1.1\r\n${HOST}`,
    status: 400,
    code: "request.malformed",
  },
  "an address of a call with a broken escape": {
    request: `GET /api/v1/%zz HTTP/1.1\r\n${HOST}`,
    status: 400,
    code: "request.malformed",
  },
  "an address with a NUL": {
    request: `GET /api/v1/he%00alth HTTP/1.1\r\n${HOST}`,
    status: 404,
    code: "endpoint.not-found",
  },
  "an id of five hundred characters": {
    request: `GET /api/v1/credentials/${"a".repeat(500)} HTTP/1.1\r\n${HOST}`,
    status: 414,
    code: "request.address-too-long",
  },
  "an address of forty thousand characters": {
    request: `GET /${"a".repeat(40_000)} HTTP/1.1\r\n${HOST}`,
    status: 431,
    code: "request.headers-too-large",
  },
  "no host": { request: `${HEALTH}${CLOSE}`, status: 400, code: "request.host-invalid" },
  "two hosts": { request: `${HEALTH}Host: a\r\nHost: b\r\n${CLOSE}`, status: 400, code: "request.host-invalid" },
  "a host that is none": { request: `${HEALTH}Host: a b<>\r\n${CLOSE}`, status: 400, code: "request.host-invalid" },
  "a host with a control character": {
    request: `${HEALTH}Host: a\u0001b\r\n${CLOSE}`,
    status: 400,
    code: "request.malformed",
  },
  "something that is not HTTP": { request: "hello\r\n\r\n", status: 400, code: "request.malformed" },
  "a version of HTTP that does not exist": {
    request: `GET / HTTP/9.9\r\n${HOST}`,
    status: 400,
    code: "request.malformed",
  },
  "a method that does not exist": { request: `FOO / HTTP/1.1\r\n${HOST}`, status: 400, code: "request.malformed" },
  "a method that nothing is bound to": {
    request: `TRACE /api/v1/health HTTP/1.1\r\n${HOST}`,
    status: 404,
    code: "endpoint.not-found",
  },
  "two lengths of one body": {
    request: `${LOGIN}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n${CLOSE}0\r\n\r\n`,
    status: 400,
    code: "request.malformed",
  },
  "a length below nothing": {
    request: `${LOGIN}Content-Length: -4\r\n${CLOSE}`,
    status: 400,
    code: "request.malformed",
  },
  "a body of more than we take": {
    request: `${LOGIN}Content-Type: application/json\r\nContent-Length: 9999999\r\n${CLOSE}`,
    status: 413,
    code: "request.too-large",
  },
  "an unsupported expectation": {
    request: `${HEALTH}Expect: wonders\r\n${HOST}`,
    status: 417,
    code: "request.expectation",
  },
};

describe("malformed requests", () => {
  for (const [name, { request, status, code }] of Object.entries(CASES)) {
    test(name, async () => {
      const answer = read(await send(request));
      assert.equal(answer.status, status);
      assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
      assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      const problem = JSON.parse(answer.body) as { code: string; status: number; request_id: string; message: string };
      assert.deepEqual([problem.code, problem.status], [code, status]);
      assert.equal(problem.request_id, answer.headers.get("x-request-id"));
      // The random id may contain "aaaa".
      const said = answer.body.replace(problem.request_id, "");
      assert.ok(!said.includes("aaaa") && !said.includes("%"), "the answer repeats no part of the request");
    });
  }
});

test("answers valid requests with a port, an IPv6 address, or HTTP/1.0 without a host", async () => {
  for (const host of ["vault.example.com:8443", "[::1]:3000", "under_score", "127.0.0.1"]) {
    assert.equal(read(await send(`${HEALTH}Host: ${host}\r\n${CLOSE}`)).status, 200, host);
  }
  assert.equal(read(await send("GET /api/v1/health HTTP/1.0\r\n\r\n")).status, 200);
});

test("writes no error to a connection with a request in progress", async () => {
  const received = await send(`${HEALTH}Host: a\r\n\r\nrubbish\r\n\r\n`);
  assert.doesNotMatch(received, /HTTP\/1\.1 4/);
});

test("answers an incomplete request with a timeout problem", async () => {
  // Node's check interval is fixed when the server is created, so the test raises the same error.
  app.http.server.once("connection", (socket: Socket) => {
    const late = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    socket.once("data", () => app.http.server.emit("clientError", late, socket));
  });
  const answer = read(await send("GET / HT"));
  assert.deepEqual([answer.status, JSON.parse(answer.body).code], [408, "request.timeout"]);
});
