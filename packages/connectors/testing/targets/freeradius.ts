// A real FreeRADIUS server on loopback with its users in a file.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Unavailable } from "./availability.ts";
import { firstExisting, freePort, handOver, ordinaryAccount, startServer, temporaryFolder } from "./server-process.ts";

export interface RadiusServer {
  host: string;
  port: number;
  sharedSecret: string;
  user: { username: string; password: string };
  /** Rejected whatever the password. */
  locked: { username: string; password: string };
  stop(): Promise<void>;
}

const SERVERS = ["/usr/sbin/freeradius", "/usr/sbin/radiusd"];

export function freeradiusAvailable(): Unavailable {
  return firstExisting(SERVERS) === null ? "there is no FreeRADIUS (install freeradius)" : null;
}

/** `isProtected`: whether replies contain a Message-Authenticator, which newer FreeRADIUS versions always send. */
export async function startFreeradius({ isProtected = true } = {}): Promise<RadiusServer> {
  const account = ordinaryAccount("freerad");
  const folder = temporaryFolder(account);
  const at = (name: string) => join(folder.path, name);
  const port = await freePort();
  const sharedSecret = randomBytes(12).toString("base64url");
  const [user, locked] = [someone(), someone()];
  const entries = [
    `${user.username} Cleartext-Password := "${user.password}"`,
    `${locked.username} Cleartext-Password := "${locked.password}", Auth-Type := Reject`,
  ];
  writeFileSync(at("users"), `${entries.join("\n\n")}\n`);
  writeFileSync(at("radiusd.conf"), configuration(folder.path, port, sharedSecret, isProtected));
  await handOver(folder.path, account);
  const args = ["-f", "-l", "stdout", "-d", folder.path];
  const server = startServer({ command: firstExisting(SERVERS) ?? "freeradius", args, account });
  await server.line(/Ready to process requests/);
  return {
    host: "127.0.0.1",
    port,
    sharedSecret,
    user,
    locked,
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

function someone(): { username: string; password: string } {
  return { username: `srt_${randomBytes(4).toString("hex")}`, password: randomBytes(12).toString("base64url") };
}

function configuration(folder: string, port: number, sharedSecret: string, isProtected: boolean): string {
  const protect = "update reply {\n      &Message-Authenticator := 0x00\n    }";
  return `
prefix = /usr
name = radiusd
confdir = ${folder}
raddbdir = ${folder}
logdir = ${folder}
run_dir = ${folder}
libdir = /usr/lib/freeradius
log {
  destination = stdout
}
security {
  reject_delay = 0
}
client test {
  ipaddr = 127.0.0.1
  secret = ${sharedSecret}
  require_message_authenticator = yes
}
modules {
  files {
    usersfile = ${folder}/users
  }
  pap {
  }
}
server default {
  listen {
    type = auth
    ipaddr = 127.0.0.1
    port = ${port}
  }
  authorize {
    files
    pap
  }
  authenticate {
    Auth-Type PAP {
      pap
    }
  }
  post-auth {
    ${isProtected ? protect : ""}
    Post-Auth-Type REJECT {
      ${isProtected ? protect : ""}
    }
  }
}
`;
}
