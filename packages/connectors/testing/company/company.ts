// Starts the hosts of the company and scans them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@strongroom/keys";
import type { VerifyContext } from "../../src/connector.ts";
import { linux } from "../../src/linux/linux.ts";
import { aContext, aTarget } from "../factories.ts";
import { runTool, temporaryFolder } from "../targets/server-process.ts";
import { startUnixHost, type UnixHost } from "../targets/unix-host.ts";
import { compare, factsOf, setupOf, truthOf, type Score } from "./compare.ts";
import { linuxHosts, type CompanyKeys } from "./linux-hosts.ts";
import type { KeyPair, PlannedHost } from "./plan.ts";

export async function companyKeys(): Promise<CompanyKeys> {
  const [deploy, admin, backup, laptop] = await Promise.all([
    aKeyPair("deploy@ci", ["-t", "ed25519"]),
    aKeyPair("admin@office", ["-t", "ecdsa"]),
    aKeyPair("backup", ["-t", "rsa", "-b", "2048", "-m", "PEM"]),
    aKeyPair("laptop of ivan", ["-t", "ed25519"]),
  ]);
  return { deploy, admin, backup, laptop };
}

async function aKeyPair(comment: string, type: readonly string[]): Promise<KeyPair> {
  const folder = temporaryFolder(null);
  try {
    const file = join(folder.path, "key");
    await runTool("ssh-keygen", ["-q", ...type, "-N", "", "-C", comment, "-f", file]);
    const privateKey = readFileSync(file, "utf8");
    const [, fingerprint = ""] = (await runTool("ssh-keygen", ["-lf", `${file}.pub`])).split(" ");
    const publicKey = readFileSync(`${file}.pub`, "utf8").trim();
    await runTool("ssh-keygen", ["-q", "-p", "-P", "", "-N", "a passphrase", "-f", file]);
    return { privateKey, publicKey, fingerprint, encrypted: readFileSync(file, "utf8") };
  } finally {
    folder.remove();
  }
}

/** Scans one planned host and compares what the scan reports with what was planted. */
export async function scoreOf(planned: PlannedHost): Promise<Score> {
  const host = await startUnixHost(planned.name, setupOf(planned));
  try {
    return compare(truthOf(planned), factsOf(await scanHost(host)));
  } finally {
    await host.stop();
  }
}

export function scanHost({ host, port, scanner }: UnixHost, context: Partial<VerifyContext> = {}) {
  const target = aTarget({ type: "server", host, port, username: scanner.username });
  return linux.listAccounts!(target, Secret.fromText(scanner.password), aContext({ timeoutMs: 60_000, ...context }));
}

export { linuxHosts };
