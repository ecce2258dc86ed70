// A real rsyslog server on loopback that receives messages over TLS and writes each to a file unchanged.
import { readFileSync, writeFileSync } from "node:fs";
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

export interface RsyslogServer {
  host: string;
  /** The TLS port. */
  port: number;
  /** Unencrypted. */
  plainPort: number;
  /** The complete messages that rsyslog has written, in the order of arrival. */
  messages(): string[];
  /** Ends rsyslog; with SIGKILL it has no time to write its buffer. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Suspends rsyslog immediately, with connections open, until `resume`. */
  pause(): void;
  resume(): void;
  /** On the same ports, with the same file. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const SERVERS = ["/usr/sbin/rsyslogd"];
const DRIVERS = ["/usr/lib/x86_64-linux-gnu/rsyslog", "/usr/lib/aarch64-linux-gnu/rsyslog", "/usr/lib64/rsyslog"];

export function rsyslogAvailable(): Unavailable {
  if (firstExisting(SERVERS) === null) return "there is no rsyslog (install rsyslog)";
  const driver = firstExisting(DRIVERS.map((folder) => `${folder}/lmnsd_ossl.so`));
  return driver === null ? "rsyslog has no TLS (install rsyslog-openssl)" : null;
}

const NEVER = /(?!)/;

/**
 * This rsyslog runs without its usual memory queue, so that it acknowledges only what it has written. With `clients` it
 * requires client certificates.
 */
export async function startRsyslog(options: {
  certificate: ServerCertificate;
  authority: ServerCertificate;
  asksForCertificate?: boolean;
}): Promise<RsyslogServer> {
  const account = ordinaryAccount("syslog");
  const folder = temporaryFolder(account);
  const at = (name: string) => join(folder.path, name);
  const [port = 0, plainPort = 0] = await freePorts(2);
  writeFileSync(at("ca.crt"), options.authority.certificate);
  writeFileSync(at("server.crt"), options.certificate.certificate);
  writeFileSync(at("server.key"), options.certificate.privateKey, { mode: 0o600 });
  writeFileSync(at("messages"), "");
  writeFileSync(at("rsyslog.conf"), configuration(folder.path, port, plainPort, options.asksForCertificate === true));
  await handOver(folder.path, account);
  const launch = async () => {
    const server = startServer({
      command: firstExisting(SERVERS) ?? "rsyslogd",
      args: ["-n", "-f", at("rsyslog.conf"), "-i", at("pid")],
      account,
    });
    const listening = Promise.all([untilListening(port), untilListening(plainPort)]);
    // rsyslog prints nothing when all is well; its last output is the reason why it could not start.
    await Promise.race([listening, server.line(NEVER)]);
    return server;
  };
  let server = await launch();
  return {
    host: "127.0.0.1",
    port,
    plainPort,
    messages: () => readFileSync(at("messages"), "utf8").split("\n").slice(0, -1),
    kill: (signal = "SIGKILL") => server.stop(signal),
    pause: () => void process.kill(server.pid, "SIGSTOP"),
    resume: () => void process.kill(server.pid, "SIGCONT"),
    restart: async () => {
      server = await launch();
    },
    stop: async () => {
      await server.stop("SIGKILL");
      folder.remove();
    },
  };
}

const configuration = (folder: string, port: number, plainPort: number, asksForCertificate: boolean) => `
global(
  workDirectory="${folder}"
  maxMessageSize="256k"
  defaultNetstreamDriverCAFile="${folder}/ca.crt"
  defaultNetstreamDriverCertFile="${folder}/server.crt"
  defaultNetstreamDriverKeyFile="${folder}/server.key"
)
module(load="imtcp" maxSessions="100")
template(name="asItCame" type="string" string="%rawmsg%\\n")
ruleset(name="trail" queue.type="direct") {
  action(type="omfile" file="${folder}/messages" template="asItCame" action.resumeRetryCount="-1")
}
input(type="imtcp" port="${plainPort}" address="127.0.0.1" ruleset="trail")
input(
  type="imtcp" port="${port}" address="127.0.0.1" ruleset="trail"
  streamDriver.name="ossl" streamDriver.mode="1"
  streamDriver.authMode="${asksForCertificate ? "x509/certvalid" : "anon"}"
)
`;
