// Finds out which protocol a port speaks. Sends no credential, and nothing that changes anything.
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { Client } from "ssh2";
import type { FoundServiceProtocol } from "@strongroom/contract";
import type { HostKey } from "../connector.ts";
import { hostKeyOf } from "../linux/host-key.ts";
import { GREETINGS, protocolOfBanner } from "./greetings.ts";

export interface FoundService {
  port: number;
  protocol: FoundServiceProtocol;
  /** The beginning of what the service said, printable characters only. */
  banner: string | null;
  hostKey: HostKey | null;
  /** The certificate that the port presents; it is not checked. */
  certificate: { subject: string; issuer: string; names: string[]; expiresAt: string } | null;
}

export interface ProbeLimits {
  /** Milliseconds for each connection. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Protocols whose server speaks first do so within this many milliseconds. */
const BANNER_WAIT_MS = 400;
const MOST_READ = 1024;
const LONGEST_BANNER = 200;
const MOST_NAMES = 20;

/** Null when the port is closed or does not answer. */
export async function probe(address: string, port: number, limits: ProbeLimits): Promise<FoundService | null> {
  const first = await exchange(address, port, null, { ...limits, waitMs: BANNER_WAIT_MS });
  if (first === null) return null;
  const service: FoundService = { port, protocol: "unknown", banner: textOf(first), hostKey: null, certificate: null };
  const spoken = protocolOfBanner(first);
  if (spoken === "ssh") return { ...service, protocol: "ssh", hostKey: await sshHostKey(address, port, limits) };
  if (spoken !== null) return { ...service, protocol: spoken, banner: versionIn(first) ?? service.banner };
  if (first.length > 0) return service;
  const isAtPort = ({ ports }: (typeof GREETINGS)[number]) => ports.includes(port);
  const tried = GREETINGS.filter((each) => each.isCommon || isAtPort(each)).toSorted(
    (a, b) => Number(isAtPort(b)) - Number(isAtPort(a)),
  );
  for (const { protocol, greeting, isAnswer } of tried) {
    const answer = await exchange(address, port, greeting, { ...limits, waitMs: limits.timeoutMs });
    if (answer !== null && isAnswer(answer)) {
      return { ...service, protocol: protocolAt(protocol, port, answer), banner: textOf(answer) };
    }
  }
  const certificate = await certificateAt(address, port, limits);
  return certificate === null ? service : { ...service, protocol: port === 636 ? "ldap" : "tls", certificate };
}

/** WinRM is HTTP at its own ports. */
const protocolAt = (protocol: FoundServiceProtocol, port: number, answer: Buffer): FoundServiceProtocol =>
  protocol === "http" && (port === 5985 || answer.includes("Microsoft-HTTPAPI")) ? "winrm" : protocol;

interface ExchangeLimits extends ProbeLimits {
  /** Milliseconds to wait for the first bytes. */
  waitMs: number;
}

/** The first bytes that the server sent, empty when it sends none, or null without a connection. */
function exchange(
  host: string,
  port: number,
  greeting: Buffer | null,
  { timeoutMs, waitMs, signal }: ExchangeLimits,
): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    let isConnected = false;
    let received = Buffer.alloc(0);
    let timer = setTimeout(end, timeoutMs);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      socket.destroy();
      resolve(isConnected ? received : null);
    }
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    socket.once("error", end);
    socket.once("close", end);
    socket.once("connect", () => {
      isConnected = true;
      clearTimeout(timer);
      timer = setTimeout(end, waitMs);
      if (greeting !== null) socket.write(greeting);
    });
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]).subarray(0, MOST_READ);
      end();
    });
  });
}

/** The key that an SSH server proves in the key exchange. The connection ends before any login. */
function sshHostKey(host: string, port: number, { timeoutMs, signal }: ProbeLimits): Promise<HostKey | null> {
  return new Promise((resolve) => {
    const client = new Client();
    let key: HostKey | null = null;
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      client.destroy();
      resolve(key);
    };
    const timer = setTimeout(end, 4 * timeoutMs);
    signal.addEventListener("abort", end, { once: true });
    client.on("error", end);
    client.on("close", end);
    client.connect({
      host,
      port,
      username: "none",
      readyTimeout: 4 * timeoutMs,
      hostVerifier: (blob: Buffer) => {
        key = hostKeyOf(blob);
        return false;
      },
    });
  });
}

function certificateAt(
  host: string,
  port: number,
  { timeoutMs, signal }: ProbeLimits,
): Promise<FoundService["certificate"]> {
  return new Promise((resolve) => {
    // Only the certificate is of interest: nothing is sent that a false certificate could capture.
    const socket = connectTls({ host, port, rejectUnauthorized: false, minVersion: "TLSv1" });
    let found: FoundService["certificate"] = null;
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      socket.destroy();
      resolve(found);
    };
    const timer = setTimeout(end, 2 * timeoutMs);
    signal.addEventListener("abort", end, { once: true });
    socket.once("error", end);
    socket.once("close", end);
    socket.once("secureConnect", () => {
      const { subject, issuer, subjectaltname = "", valid_to } = socket.getPeerCertificate();
      const names = subjectaltname.split(", ").flatMap((each) => each.split(":")[1] ?? []);
      const expires = new Date(valid_to);
      if (!Number.isNaN(expires.getTime())) {
        found = {
          subject: printable(commonName(subject)),
          issuer: printable(commonName(issuer)),
          names: names.slice(0, MOST_NAMES).map(printable),
          expiresAt: expires.toISOString(),
        };
      }
      end();
    });
  });
}

const commonName = (name: { CN?: string | string[] } | undefined): string => [name?.CN ?? ""].flat()[0] ?? "";

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "").slice(0, LONGEST_BANNER);

/** The first line, if it is text. */
function textOf(bytes: Buffer): string | null {
  const [line = ""] = bytes.toString("latin1").split(/[\r\n]/);
  const text = printable(line).trim();
  return text.length < 3 || text.length < line.length / 2 ? null : text;
}

/** The version in MySQL's first packet (protocol 10). */
function versionIn(bytes: Buffer): string | null {
  const end = bytes.indexOf(0, 5);
  return end < 6 ? null : printable(bytes.toString("latin1", 5, end));
}
