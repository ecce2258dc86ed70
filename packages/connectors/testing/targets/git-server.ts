// A real Git server over HTTPS on loopback: Git's own `http-backend` behind a small web server that checks logins.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { ServerCertificate } from "../certificates.ts";
import { missingProgram, type Unavailable } from "./availability.ts";
import { temporaryFolder } from "./server-process.ts";

export interface GitRepository {
  /** Commits these files; null deletes one. Returns the commit. */
  commit(files: Readonly<Record<string, string | null>>, message?: string): string;
  /** Runs git in the working copy and pushes all branches and tags. */
  git(...args: string[]): string;
}

export interface GitServer {
  host: string;
  port: number;
  login: { username: string; password: string };
  /** Creates an empty repository, such as `team/app.git`. */
  addRepository(path: string, options?: { isPublic?: boolean }): GitRepository;
  /** Paths that answer with this status instead. */
  answers: Map<string, number>;
  /** The requests with their status, such as `GET /team/app.git/info/refs 200`. */
  requests: string[];
  stop(): Promise<void>;
}

export function gitAvailable(): Unavailable {
  const backend = spawnSync("git", ["--exec-path"]).stdout?.toString().trim();
  const missing = missingProgram({ git: "git" });
  return (
    missing ?? (existsSync(join(backend, "git-http-backend")) ? null : "there is no git-http-backend (install git)")
  );
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Jane Doe",
  GIT_AUTHOR_EMAIL: "jane@example.com",
  GIT_COMMITTER_NAME: "Jane Doe",
  GIT_COMMITTER_EMAIL: "jane@example.com",
};

export async function startGitServer(certificate: ServerCertificate): Promise<GitServer> {
  const folder = temporaryFolder(null);
  const served = join(folder.path, "served");
  mkdirSync(served);
  const login = { username: "reader", password: `glpat-${randomBytes(12).toString("base64url")}` };
  const open = new Set<string>();
  const answers = new Map<string, number>();
  const requests: string[] = [];
  const environment = {
    PATH: process.env["PATH"],
    HOME: folder.path,
    GIT_CONFIG_NOSYSTEM: "1",
    ...IDENTITY,
  };
  const authorization = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;

  const statusOf = (request: IncomingMessage, repository: string): number => {
    const planned = answers.get(repository);
    if (planned !== undefined) return planned;
    if (open.has(repository) || request.headers.authorization === authorization)
      return existsSync(join(served, repository)) ? 200 : 404;
    return 401;
  };

  const server = createServer({ cert: certificate.certificate, key: certificate.privateKey }, (request, response) => {
    const url = new URL(request.url!, "https://git");
    const repository = url.pathname.replace(/^\/|\/(?:info\/refs|git-upload-pack)$/g, "");
    const status = statusOf(request, repository);
    requests.push(`${request.method} ${url.pathname} ${status}`);
    if (status === 200) return serve(request, response, url);
    const challenge = status === 401 ? { "www-authenticate": "Basic" } : {};
    const location = status >= 300 && status < 400 ? { location: "https://elsewhere.example/" } : {};
    response.writeHead(status, { ...challenge, ...location }).end();
  });

  /** RFC 3875, as far as `http-backend` needs it. */
  function serve(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const { headers } = request;
    const backend = spawn("git", ["http-backend"], {
      env: {
        ...environment,
        GIT_PROJECT_ROOT: served,
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: request.method,
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
        GIT_PROTOCOL: headers["git-protocol"]?.toString() ?? "",
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    backend.stdin.on("error", () => {});
    request.pipe(backend.stdin);
    let head = Buffer.alloc(0);
    let isSent = false;
    backend.stdout.on("data", (part: Buffer) => {
      if (isSent) return void response.write(part);
      head = Buffer.concat([head, part]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      isSent = true;
      const lines = head.toString("latin1", 0, end).split("\r\n");
      const fields = lines.map((line) => line.split(": ", 2) as [string, string]);
      const status = fields.find(([name]) => name === "Status")?.[1];
      response.writeHead(
        Number(status?.slice(0, 3) ?? 200),
        Object.fromEntries(fields.filter(([name]) => name !== "Status")),
      );
      response.write(head.subarray(end + 4));
    });
    backend.stdout.on("end", () => response.end());
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    login,
    answers,
    requests,
    addRepository(path, { isPublic = false } = {}) {
      if (isPublic) open.add(path);
      const bare = join(served, path);
      mkdirSync(dirname(bare), { recursive: true });
      const work = join(folder.path, "work", path);
      const git = (...args: string[]) =>
        execFileSync("git", args, { cwd: work, env: environment, stdio: ["ignore", "pipe", "pipe"] })
          .toString()
          .trim();
      const push = () => git("push", "--quiet", "--mirror", bare);
      mkdirSync(work, { recursive: true });
      git("init", "--quiet", "--initial-branch=main");
      git("init", "--quiet", "--bare", "--initial-branch=main", bare);
      git("-C", bare, "config", "uploadpack.allowFilter", "true");
      return {
        commit(files, message = "Change files") {
          for (const [name, content] of Object.entries(files)) {
            const at = join(work, name);
            mkdirSync(dirname(at), { recursive: true });
            if (content === null) rmSync(at);
            else writeFileSync(at, content);
          }
          git("add", "--all");
          git("commit", "--quiet", "--message", message);
          push();
          return git("rev-parse", "HEAD");
        },
        git(...args) {
          const output = git(...args);
          push();
          return output;
        },
      };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      folder.remove();
    },
  };
}
