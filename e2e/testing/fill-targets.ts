// Real hosts for the screenshots of `npm run pictures`: files and accounts for scans, and an account for a recorded
// session.
import {
  addSafeMember,
  allowDiscoveryNetwork,
  createAccount,
  createDiscoveryTarget,
  createEnhancedScanSchedule,
  createFindingRule,
  createOnboardingRule,
  createSafe,
  listFindings,
  listPlatforms,
  listRangeScans,
  readDiscoveryScan,
  startDiscoveryScan,
  startEnhancedScan,
  startRangeScan,
  validateAccount,
} from "@strongroom/contract";
import type { AccountId, DiscoveryTargetId, SafeId } from "@strongroom/contract";
import { startHostile, startPostgresql, startSshd } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./becomes.ts";
import type { World } from "./fill-server.ts";
import { ask, tokenOf, userIdOf } from "./people.ts";
import { completedScan, startScan } from "./scan-target.ts";
import type { RunningServer } from "./server.ts";

const TARGETS = { linux: "web-01", cloud: "Production", silent: "web-02" } as const;

export interface FilledTargets {
  /** On a real sshd, verified. */
  accountId: AccountId;
  /** Its host has presented a different key. */
  alarmId: AccountId;
  stop(): Promise<unknown>;
}

/** Closes the hosts again if a step fails. */
export async function fillTargets(server: RunningServer, { token, users, accounts }: World): Promise<FilledTargets> {
  const [sshd, replaced, silent, database] = await Promise.all([
    startSshd(),
    startSshd(),
    startHostile("black-hole"),
    startPostgresql(),
  ]);
  const stop = () => Promise.all([sshd, replaced, silent, database].map((each) => each.stop()));
  try {
    const safe = await ask(server.url, createSafe, { body: { name: "Web servers" } }, token);
    const user_id = userIdOf(await tokenOf(server, users[1]!));
    await ask(server.url, addSafeMember, { params: { id: safe.id }, body: { user_id, role: "user" } }, token);
    const role = await database.addRole();
    const leak = `postgresql://${role.username}:${role.password}@${database.host}:${database.port}/postgres`;
    const { accountId, targetId, home } = await linuxHost(server, token, sshd, safe.id, leak);
    await cloudAccount(server, token, safe.id);
    await otherTargets(server, token, { count: 20 + Math.ceil(accounts.length / 13), accountId, safeId: safe.id });
    await decideOnAccounts(server, token, targetId, safe.id);
    await findSecrets(server, token, targetId, home);
    await scanRange(server, token, sshd, safe.id);
    await endlessScans(server, token, { ...silent, safeId: safe.id, accountId });
    const alarmId = await hostKeyAlarm(server, token, replaced, safe.id);
    return { accountId, alarmId, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A host with three more users, a shared SSH key, and a file with a password. */
async function linuxHost({ url }: RunningServer, token: string, sshd: Sshd, safe_id: SafeId, leak: string) {
  const scanner = await sshd.addUser("active", { sudo: "ALL", hasHome: true });
  const others = [
    await sshd.addUser("active", { hasHome: true }),
    await sshd.addUser("active", { sudo: "ALL", hasHome: true }),
  ];
  await sshd.authorizeKey({ user: others[0]! });
  await sshd.authorizeKey({ user: others[1]! });
  for (const [folder, name, text] of [
    ["shop", "database.conf", `[shop]\ndatabase_url = ${leak}\npool = 4\n`],
    ["samples", "sample.conf", "[mail]\nhost = mail.example.com\nuser = shop\npassword = vK9wqTz4LmXe\n"],
  ] as const) {
    mkdirSync(join(scanner.home, folder));
    writeFileSync(join(scanner.home, folder, name), text, { mode: 0o644 });
  }
  const { platforms } = await ask(url, listPlatforms, {}, token);
  const platform_id = platforms.find(({ name }) => name === "Linux")!.id;
  const { username, password, home } = scanner;
  const { host: hostname, port } = sshd;
  const kind = { name: "web-01 deploy", system_type: "Linux", connection_method: "SSH" } as const;
  const body = { ...kind, hostname, port, username, password, platform_id, safe_id };
  const { id: accountId } = await ask(url, createAccount, { body }, token);
  await ask(url, validateAccount, { params: { id: accountId } }, token);
  const target = {
    name: TARGETS.linux,
    targetType: "linux",
    connectionMethod: "ssh",
    hostname,
    safeId: safe_id,
  } as const;
  const settings = { port, timeout: 30_000 };
  const { id: targetId } = await ask(
    url,
    createDiscoveryTarget,
    { body: { ...target, credentialId: accountId, settings } },
    token,
  );
  return { accountId, targetId, home };
}

const SYSTEMS = ["app", "cache", "db", "mail"] as const;
const EVERY_NIGHT = { cron: "0 2 * * *", timezone: "UTC", jitterMinutes: 30, window: null };

/** Hosts that do not exist: a table for the list of targets. Every third one has a schedule. */
async function otherTargets(
  { url }: RunningServer,
  token: string,
  { count, accountId, safeId }: { count: number; accountId: AccountId; safeId: SafeId },
): Promise<void> {
  for (let place = 0; place < count; place += 1) {
    const name = `${SYSTEMS[place % SYSTEMS.length]}-${String(place + 1).padStart(3, "0")}`;
    const target = { name, targetType: "linux", connectionMethod: "ssh", hostname: `${name}.example.com` } as const;
    const schedule = place % 3 === 0 ? EVERY_NIGHT : null;
    const body = { ...target, safeId, credentialId: accountId, settings: {}, schedule };
    await ask(url, createDiscoveryTarget, { body }, token);
  }
}

/** Nothing logs in to it. */
async function cloudAccount({ url }: RunningServer, token: string, safe_id: SafeId): Promise<void> {
  const { platforms } = await ask(url, listPlatforms, {}, token);
  const platform_id = platforms.find(({ system_type }) => system_type === "AWS")!.id;
  const kind = { name: "AWS scanner", system_type: "AWS", connection_method: "HTTPS", platform_id, safe_id } as const;
  const login = { hostname: "iam.amazonaws.com", username: "scanner", password: "an example key" };
  const additional_params = { protocol: "aws-iam" };
  const account = await ask(url, createAccount, { body: { ...kind, ...login, additional_params } }, token);
  const target = { name: TARGETS.cloud, targetType: "aws", connectionMethod: "aws_api", safeId: safe_id } as const;
  const body = { ...target, hostname: login.hostname, credentialId: account.id, settings: { port: 443 } };
  await ask(url, createDiscoveryTarget, { body }, token);
}

async function decideOnAccounts({ url }: RunningServer, token: string, id: DiscoveryTargetId, safeId: SafeId) {
  const scan = await ask(url, startDiscoveryScan, { params: { id }, body: { scanSettings: {} } }, token);
  await until("the discovery scan", async () => {
    const { status } = await ask(url, readDiscoveryScan, { params: { id: scan.id } }, token);
    assert.notEqual(status, "failed");
    return status === "completed" ? true : null;
  });
  const rule = {
    name: "Reject samples",
    safeId,
    action: "reject",
    namePattern: "sample-*",
    reason: "A sample",
  } as const;
  await ask(url, createOnboardingRule, { body: rule }, token);
}

async function findSecrets(server: RunningServer, token: string, targetId: DiscoveryTargetId, home: string) {
  const { url } = server;
  await completedScan(server, token, await startScan(server, token, { targetId, home }));
  const { data } = await ask(url, listFindings, {}, token);
  const finding = data.find(({ title }) => title.includes("sample.conf"));
  assert.ok(finding, "the scan did not find the password in sample.conf");
  const reviewAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const rule = { kind: "path", reason: "Sample files", reviewAt } as const;
  await ask(url, createFindingRule, { params: { id: finding.id }, body: rule }, token);
  const schedule = { cron: "0 3 * * 1", timezone: "UTC", jitterMinutes: 10, window: null };
  const scheduled = { schedule, scanConfig: {}, complianceFrameworks: [] };
  await ask(url, createEnhancedScanSchedule, { params: { id: targetId }, body: scheduled }, token);
}

/** A host that accepts connections and never answers, and a large range: both scans run until they are cancelled. */
async function endlessScans(
  { url }: RunningServer,
  token: string,
  { host, port, safeId, accountId }: { host: string; port: number; safeId: SafeId; accountId: AccountId },
): Promise<void> {
  const target = {
    name: TARGETS.silent,
    targetType: "linux",
    connectionMethod: "ssh",
    hostname: host,
    safeId,
  } as const;
  const body = { ...target, credentialId: accountId, settings: { port, timeout: 300_000 } };
  const { id } = await ask(url, createDiscoveryTarget, { body }, token);
  await ask(url, startDiscoveryScan, { params: { id }, body: { scanSettings: { timeout: 300_000 } } }, token);
  await ask(url, startEnhancedScan, { params: { id }, body: { scanConfig: { timeoutSeconds: 3600 } } }, token);
  await ask(url, allowDiscoveryNetwork, { body: { network: "192.0.2.0/24", description: "Branch office" } }, token);
  const range = { name: "Branch office", safeId, ranges: ["192.0.2.0/24"], rate: 1 };
  await ask(url, startRangeScan, { body: range }, token);
}

async function hostKeyAlarm({ url }: RunningServer, token: string, sshd: Sshd, safe_id: SafeId): Promise<AccountId> {
  const { username, password } = await sshd.addUser();
  const { platforms } = await ask(url, listPlatforms, {}, token);
  const platform_id = platforms.find(({ name }) => name === "Linux")!.id;
  const kind = { name: "web-03 deploy", system_type: "Linux", connection_method: "SSH" } as const;
  const body = { ...kind, hostname: sshd.host, port: sshd.port, username, password, platform_id, safe_id };
  const { id } = await ask(url, createAccount, { body }, token);
  await ask(url, validateAccount, { params: { id } }, token);
  await sshd.changeHostKey();
  await ask(url, validateAccount, { params: { id } }, token);
  return id;
}

async function scanRange({ url }: RunningServer, token: string, { host, port }: Sshd, safeId: SafeId) {
  await ask(url, allowDiscoveryNetwork, { body: { network: `${host}/32`, description: "Web servers" } }, token);
  const scan = { name: "Data centre", safeId, ranges: [`${host}/32`], ports: [port] };
  await ask(url, startRangeScan, { body: scan }, token);
  await until("the range scan", async () => {
    const { data } = await ask(url, listRangeScans, {}, token);
    return data.every(({ status }) => status === "completed") ? true : null;
  });
}
