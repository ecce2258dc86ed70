// A real RabbitMQ server on loopback: AMQP and the management interface, both over TLS, with its own port mapper.
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import type { ServerCertificate } from "../certificates.ts";
import type { Unavailable } from "./availability.ts";
import {
  firstExisting,
  freePorts,
  handOver,
  ordinaryAccount,
  startServer,
  temporaryFolder,
  untilListening,
} from "./server-process.ts";

export interface RabbitmqServer {
  host: string;
  /** AMQP over TLS. */
  port: number;
  managementPort: number;
  admin: { username: string; password: string };
  /** A new user with a random password, or without one. */
  addUser(tags?: string, hasPassword?: boolean): Promise<{ username: string; password: string }>;
  /** The user's current tags, comma-separated. Rejects when the user does not exist. */
  tagsOf(username: string): Promise<string>;
  stop(): Promise<void>;
}

const SERVERS = ["/usr/lib/rabbitmq/bin/rabbitmq-server"];
const EPMD = ["/usr/bin/epmd"];

export function rabbitmqAvailable(): Unavailable {
  return firstExisting(SERVERS) === null || firstExisting(EPMD) === null
    ? "there is no RabbitMQ (install rabbitmq-server)"
    : null;
}

export async function startRabbitmq(certificate: ServerCertificate): Promise<RabbitmqServer> {
  const account = ordinaryAccount("rabbitmq");
  const folder = temporaryFolder(account);
  const at = (name: string) => join(folder.path, name);
  const [port = 0, managementPort = 0, mapperPort = 0, nodePort = 0] = await freePorts(4);
  const admin = someone();
  mkdirSync(at("data"));
  mkdirSync(at("log"));
  writeFileSync(at("server.crt"), certificate.certificate);
  writeFileSync(at("server.key"), certificate.privateKey, { mode: 0o600 });
  writeFileSync(at("plugins"), "[rabbitmq_management].\n");
  writeFileSync(at("rabbitmq.conf"), configuration(folder.path, { port, managementPort, admin }));
  await handOver(folder.path, account);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder.path,
    RABBITMQ_NODENAME: `srt${port}@localhost`,
    RABBITMQ_MNESIA_BASE: at("data"),
    RABBITMQ_LOG_BASE: at("log"),
    RABBITMQ_LOGS: "-",
    RABBITMQ_CONFIG_FILE: at("rabbitmq.conf"),
    RABBITMQ_ENABLED_PLUGINS_FILE: at("plugins"),
    RABBITMQ_DIST_PORT: String(nodePort),
    ERL_EPMD_PORT: String(mapperPort),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    // Keeps the process that was started, so that it ends with the test.
    RABBITMQ_ALLOW_INPUT: "1",
    RABBITMQ_SERVER_START_ARGS: "-noinput",
  };
  const mapper = startServer({ command: firstExisting(EPMD) ?? "epmd", args: [], account, env });
  await untilListening(mapperPort);
  const server = startServer({ command: firstExisting(SERVERS) ?? "rabbitmq-server", args: [], account, env });
  await server.line(/Server startup complete/);

  const api = (method: string, path: string, body?: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const auth = `${admin.username}:${admin.password}`;
      const options = { host: "127.0.0.1", port: managementPort, method, path, auth, rejectUnauthorized: false };
      const sent = request(options, (answer) => {
        const ended = answer.toArray().then((pieces) => {
          const text = pieces.join("");
          if ((answer.statusCode ?? 500) < 300) resolve(text);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
        });
        ended.catch(reject);
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    host: "127.0.0.1",
    port,
    managementPort,
    admin,
    addUser: async (tags = "", hasPassword = true) => {
      const user = someone();
      const secret = hasPassword ? { password: user.password } : { password_hash: "" };
      await api("PUT", `/api/users/${user.username}`, { ...secret, tags });
      await api("PUT", `/api/permissions/%2F/${user.username}`, { configure: "", write: "", read: ".*" });
      return user;
    },
    tagsOf: async (username) => String(JSON.parse(await api("GET", `/api/users/${username}`)).tags),
    stop: async () => {
      await server.stop("SIGKILL");
      await mapper.stop();
      folder.remove();
    },
  };
}

function someone(): { username: string; password: string } {
  return { username: `srt_${randomBytes(4).toString("hex")}`, password: randomBytes(12).toString("base64url") };
}

function configuration(
  folder: string,
  options: { port: number; managementPort: number; admin: RabbitmqServer["admin"] },
): string {
  const { port, managementPort, admin } = options;
  const certificate = (prefix: string) => [
    `${prefix}.cacertfile = ${folder}/server.crt`,
    `${prefix}.certfile = ${folder}/server.crt`,
    `${prefix}.keyfile = ${folder}/server.key`,
  ];
  return [
    "listeners.tcp = none",
    `listeners.ssl.1 = 127.0.0.1:${port}`,
    ...certificate("ssl_options"),
    "ssl_options.verify = verify_none",
    "management.ssl.ip = 127.0.0.1",
    `management.ssl.port = ${managementPort}`,
    ...certificate("management.ssl"),
    `default_user = ${admin.username}`,
    `default_pass = ${admin.password}`,
    "default_user_tags.administrator = true",
    "log.console = true",
    "",
  ].join("\n");
}
