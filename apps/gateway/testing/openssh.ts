// The OpenSSH client, as users run it, against a gateway.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface OpensshResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface OpensshOptions {
  /** The answer to each prompt that contains the text before it. */
  answers?: Record<string, string>;
  /** Written to standard input, which ends afterwards. */
  input?: string;
  /** Additional options, such as `-tt`. */
  options?: readonly string[];
  signal?: AbortSignal;
}

export interface Openssh {
  folder: string;
  /** Runs `ssh NAME@gateway COMMAND…`. */
  ssh(name: string, command: readonly string[], options?: OpensshOptions): Promise<OpensshResult>;
  /** Runs a program that connects by ssh, such as scp. */
  run(program: string, words: readonly string[], options?: OpensshOptions): Promise<OpensshResult>;
  remove(): void;
}

/** `knownHost` is the host key of the gateway, as in a known_hosts file. */
export function openssh(port: number, knownHost: string): Openssh {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-openssh-"));
  const knownHosts = join(folder, "known_hosts");
  writeFileSync(knownHosts, `[127.0.0.1]:${port} ${knownHost}\n`);
  const common = [
    ["-F", "none"],
    ["-P", String(port)],
    ["-o", `UserKnownHostsFile=${knownHosts}`],
    ["-o", "GlobalKnownHostsFile=/dev/null"],
    ["-o", "StrictHostKeyChecking=yes"],
    ["-o", "IdentityAgent=none"],
    ["-o", "NumberOfPasswordPrompts=1"],
  ].flat();
  let count = 0;

  /** A program that ssh runs to ask for passwords, in place of a person. */
  function askpass(answers: Record<string, string>): string {
    count += 1;
    const path = join(folder, `askpass-${count}`);
    const cases = Object.entries(answers).map(
      ([text, answer]) => `*${quoted(text)}*) printf '%s\\n' ${quoted(answer)};;`,
    );
    writeFileSync(path, ["#!/bin/sh", 'case "$1" in', ...cases, "*) exit 1;;", "esac", ""].join("\n"));
    chmodSync(path, 0o700);
    return path;
  }

  /** A file, because ssh reads it from its beginning only when it needs input. */
  function inputFile(text: string): number {
    count += 1;
    const path = join(folder, `input-${count}`);
    writeFileSync(path, text);
    return openSync(path, "r");
  }

  const run: Openssh["run"] = async (program, words, { answers = {}, input = "", options = [], signal } = {}) => {
    const portOption = program === "ssh" ? common.map((each) => (each === "-P" ? "-p" : each)) : common;
    const child = spawn(program, [...options, ...portOption, ...words], {
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        DISPLAY: ":0",
        SSH_ASKPASS: askpass(answers),
        SSH_ASKPASS_REQUIRE: "force",
      },
      detached: true,
      stdio: [inputFile(input), "pipe", "pipe"],
      ...(signal === undefined ? {} : { signal }),
    });
    let [stdout, stderr] = ["", ""];
    child.stdout?.on("data", (bytes: Buffer) => (stdout += bytes.toString("utf8")));
    child.stderr?.on("data", (bytes: Buffer) => (stderr += bytes.toString("utf8")));
    child.on("error", () => {});
    const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { status, stdout, stderr };
  };

  return {
    folder,
    run,
    ssh: (name, command, options) => run("ssh", ["-l", name, "127.0.0.1", ...command], options),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
