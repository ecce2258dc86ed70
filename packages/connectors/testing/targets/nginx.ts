// A real nginx on loopback over TLS, with a password file for users and a bearer token for machines.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerCertificate } from "../certificates.ts";
import type { Unavailable } from "./availability.ts";
import { firstExisting, freePort, runTool, startServer, temporaryFolder, untilListening } from "./server-process.ts";

export interface NginxServer {
  host: string;
  port: number;
  /** Required for `/robots/`. */
  token: string;
  /** Has access to `/private/`; `/blocked/` is forbidden, `/open/` public, `/moved/` redirects. */
  addUser(): Promise<{ username: string; password: string }>;
  stop(): Promise<void>;
}

const SERVERS = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"];

export function nginxAvailable(): Unavailable {
  if (firstExisting(["/usr/bin/htpasswd"]) === null) return "there is no htpasswd (install apache2-utils)";
  return firstExisting(SERVERS) === null ? "there is no nginx (install nginx-light)" : null;
}

export async function startNginx(certificate: ServerCertificate): Promise<NginxServer> {
  const folder = temporaryFolder(null);
  const at = (name: string) => join(folder.path, name);
  const port = await freePort();
  const token = randomBytes(18).toString("base64url");
  writeFileSync(at("server.crt"), certificate.certificate);
  writeFileSync(at("server.key"), certificate.privateKey, { mode: 0o600 });
  writeFileSync(at("users"), "");
  writeFileSync(at("nginx.conf"), configuration(folder.path, port, token));
  const args = ["-p", folder.path, "-e", "stderr", "-c", at("nginx.conf")];
  const server = startServer({ command: firstExisting(SERVERS) ?? "nginx", args });
  await untilListening(port);
  return {
    host: "127.0.0.1",
    port,
    token,
    addUser: async () => {
      const user = {
        username: `srt_${randomBytes(4).toString("hex")}`,
        password: randomBytes(12).toString("base64url"),
      };
      await runTool("/usr/bin/htpasswd", ["-bs", at("users"), user.username, user.password]);
      return user;
    },
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

function configuration(folder: string, port: number, token: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
daemon off;
master_process off;
pid ${folder}/pid;
events {}
http {
  access_log off;
  ${temporary.join("\n  ")}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/server.crt;
    ssl_certificate_key ${folder}/server.key;
    location /private/ { auth_basic "people"; auth_basic_user_file ${folder}/users; try_files /none @fine; }
    location /robots/ { if ($http_authorization != "Bearer ${token}") { return 401; } return 204; }
    location /blocked/ { return 403; }
    location /open/ { return 204; }
    location /moved/ { return 302 https://elsewhere.example/; }
    location @fine { return 204; }
  }
}
`;
}
