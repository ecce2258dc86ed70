// A real Redis server on loopback, over TLS only, with users in an ACL file.
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerCertificate } from "../certificates.ts";
import type { Unavailable } from "./availability.ts";
import {
  firstExisting,
  freePort,
  handOver,
  ordinaryAccount,
  runTool,
  startServer,
  temporaryFolder,
} from "./server-process.ts";

export interface RedisServer {
  host: string;
  port: number;
  /** Has every permission. */
  admin: { username: string; password: string };
  /** A new user with a random password; `rules` such as `+@read` or `off`. */
  addUser(...rules: string[]): Promise<{ username: string; password: string }>;
  /** Restarts the server with its saved data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const SERVERS = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"];

export function redisAvailable(): Unavailable {
  return firstExisting(SERVERS) === null ? "there is no Redis (install redis-server)" : null;
}

/** Without `hasAclFile` changes are lost at the end. `default` is the rules of the default user. */
export async function startRedis(options: {
  certificate: ServerCertificate;
  hasAclFile?: boolean;
  default?: string;
}): Promise<RedisServer> {
  const { certificate, hasAclFile = true } = options;
  const account = ordinaryAccount("redis");
  const folder = temporaryFolder(account);
  const at = (name: string) => join(folder.path, name);
  const port = await freePort();
  const admin = someone();
  const users = [`user default ${options.default ?? "off"}`, line(admin, ["~*", "&*", "+@all"])];
  writeFileSync(at("server.crt"), certificate.certificate);
  writeFileSync(at("server.key"), certificate.privateKey, { mode: 0o600 });
  writeFileSync(at("users.acl"), hasAclFile ? `${users.join("\n")}\n` : "");
  writeFileSync(at("redis.conf"), hasAclFile ? `aclfile ${at("users.acl")}\n` : `${users.join("\n")}\n`);
  await handOver(folder.path, account);
  const tls = ["--tls-port", String(port), "--tls-cert-file", at("server.crt"), "--tls-key-file", at("server.key")];
  const launch = async () => {
    const args = [at("redis.conf"), "--port", "0", "--bind", "127.0.0.1", "--dir", folder.path, "--save", "", ...tls];
    const server = startServer({
      command: firstExisting(SERVERS) ?? "redis-server",
      args: [...args, "--tls-auth-clients", "no"],
      account,
    });
    await server.line(/Ready to accept connections/);
    return server;
  };
  let server = await launch();

  const run = (...words: string[]) =>
    runTool("redis-cli", ["-p", String(port), "--tls", "--insecure", "--user", admin.username, ...words], {
      env: { ...process.env, REDISCLI_AUTH: admin.password },
    });
  return {
    host: "127.0.0.1",
    port,
    admin,
    addUser: async (...rules) => {
      const user = someone();
      await run("ACL", "SETUSER", user.username, "on", `>${user.password}`, ...rules);
      return user;
    },
    restart: async () => {
      await server.stop();
      server = await launch();
    },
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

function someone(): { username: string; password: string } {
  return { username: `srt_${randomBytes(4).toString("hex")}`, password: randomBytes(12).toString("base64url") };
}

function line({ username, password }: { username: string; password: string }, rules: readonly string[]): string {
  const hash = createHash("sha256").update(password).digest("hex");
  return `user ${username} on #${hash} ${rules.join(" ")}`;
}
