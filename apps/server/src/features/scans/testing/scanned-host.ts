// A real host with files to scan, a discovery target for it, and the calls that tests of scans and findings share.
import { listFindings, readEnhancedScan, readFinding, startEnhancedScan } from "@strongroom/contract";
import type { EnhancedScanDetails, InputOf, SecurityFinding, SecurityFindingDetails } from "@strongroom/contract";
import { startSshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SSH, aDiscoveryWorld, byId } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { anAccount } from "#testing/accounts.ts";
import { eventually } from "#testing/waiting.ts";

type ScanBody = NonNullable<InputOf<typeof startEnhancedScan>["body"]>;
type Query = NonNullable<InputOf<typeof listFindings>["query"]>;

/** A random password that the detectors find after a name such as `password`. */
export const aPassword = (): string => `Tr0ub-${randomBytes(9).toString("base64url")}`;

/** A user of the host whose home directory is the only place that scans with these settings read. */
export async function aScannedHost(
  existing?: Pick<DiscoveryWorld, "app" | "owner" | "safe" | "aTarget" | "linuxTarget">,
  { sudo, config }: { sudo?: string; config?: string[] } = {},
) {
  const world = existing ?? (await aDiscoveryWorld());
  const { app, owner, safe, aTarget, linuxTarget } = world;
  const sshd = await startSshd(config === undefined ? {} : { config });
  const user = await sshd.addUser("active", { hasHome: true, ...(sudo === undefined ? {} : { sudo }) });
  const login = { hostname: sshd.host, port: sshd.port, username: user.username, password: user.password };
  const account = await anAccount(app, owner, safe, { ...SSH, ...login });
  const target = await aTarget(linuxTarget(account, sshd));
  const pathOf = (name: string) => join(user.home, name);

  /** Only the user's own files are scanned, whatever else is on the machine. */
  const elsewhere = () => {
    const homes = readdirSync("/home").map((name) => join("/home", name));
    return ["/etc", "/root", ...homes.filter((home) => home !== user.home)];
  };

  async function startScan(body: Partial<ScanBody> = {}, who = owner) {
    const { excludePatterns = [], ...more } = body.scanConfig ?? {};
    const scanConfig = {
      scanDepth: "quick" as const,
      // The machine's other accounts do not belong to the test.
      scanServiceAccounts: false,
      scanSharedAccounts: false,
      ...more,
      excludePatterns: [...elsewhere(), ...excludePatterns],
    };
    return app.call(startEnhancedScan, { ...byId(target), body: { ...body, scanConfig }, as: who.token });
  }
  const read = async (id: string, who = owner): Promise<EnhancedScanDetails> =>
    (await app.call(readEnhancedScan, { ...byId({ id }), as: who.token })).body;
  const ended = (id: string): Promise<EnhancedScanDetails> =>
    eventually(async () => {
      const scan = await read(id);
      return ["pending", "running"].includes(scan.status) ? null : scan;
    });

  /** Writes a file that the user can read; the folder is created. */
  function write(name: string, content: string, mode = 0o644): string {
    const path = pathOf(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  }
  async function scanned(body: Partial<ScanBody> = {}): Promise<EnhancedScanDetails> {
    const started = await startScan(body);
    assert.equal(started.status, 202, started.text);
    return ended(started.body.id);
  }
  async function findings(query: Query = {}, who = owner): Promise<SecurityFinding[]> {
    const reply = await app.call(listFindings, {
      query: { targetId: target.id, includeBelowThreshold: "true", ...query },
      as: who.token,
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  }

  /** Writes a file with one secret, scans the host and returns the finding. */
  async function aFinding(name: string, content: string, mode?: number): Promise<SecurityFinding> {
    const path = write(name, content, mode);
    const scan = await scanned();
    assert.equal(scan.status, "completed", scan.error_message ?? "");
    const found = (await findings()).find(({ finding_data }) => finding_data.file_path === path);
    assert.ok(found !== undefined, `no finding in ${path}`);
    return found;
  }
  const details = async (finding: Pick<SecurityFinding, "id">): Promise<SecurityFindingDetails> =>
    (await app.call(readFinding, { ...byId(finding), as: owner.token })).body;

  return {
    ...world,
    sshd,
    user,
    account,
    target,
    pathOf,
    startScan,
    read,
    ended,
    write,
    remove: (name: string) => rmSync(pathOf(name), { recursive: true, force: true }),
    scanned,
    findings,
    aFinding,
    details,
    async stop(): Promise<void> {
      await sshd.stop();
      if (existing === undefined) await app.close();
    },
  };
}

export type ScannedHost = Awaited<ReturnType<typeof aScannedHost>>;
