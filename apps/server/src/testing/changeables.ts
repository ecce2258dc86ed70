// One entity for each PUT of the contract, and how a test reads it. Every field differs from the contract's default.
import {
  createAccount,
  createAuditSink,
  ScanConfig,
  createDiscoveryTarget,
  createScanConfig,
  createIdentityProvider,
  createMachine,
  listAuditSinks,
  listGroups,
  listIdentityProviders,
  listMachines,
  listSafeMembers,
  listUsers,
  readAccountDetails,
  readCredential,
  readDashboardPreferences,
  readDiscoveryTarget,
  readScanConfig,
  readNotificationPreferences,
  readOwnProfile,
  readPlatform,
  readSafe,
  readSignInPolicy,
  readTokenPolicy,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { aPlatform, anAccount } from "./accounts.ts";
import { aCredential, aSecret } from "./credentials.ts";
import { aPerson } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { aGroup, aMember, aSafe } from "./safes.ts";
import type { TestApp } from "./test-app.ts";

export type Json = Record<string, unknown>;

/** A value whose fields all differ from the contract's defaults. */
export interface Changeable {
  params?: Json;
  as: TestPerson;
  /** The current state from the server, under the names of the PUT body. */
  read: () => Promise<Json>;
  /** Required by a rule over several fields, which the document cannot express. */
  alsoRequired?: string;
}

const found = async (list: readonly { id: string }[], id: string): Promise<Json> => ({
  ...list.find((each) => each.id === id),
});
const made = <T>(reply: { status: number; text: string; body: T }): T => {
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};

let named = 0;
const aName = (kind: string) => `${kind} ${(named += 1)}`;

const FIELDS = {
  username: "app-user",
  port: 4711,
  database_name: "payroll",
  schema_name: "hr",
  connection_string: "https://db.example.com/payroll",
  ssl_enabled: true,
  additional_params: { region: "north" },
};

/** By the name of the endpoint. */
export function changeablesOf(
  app: TestApp,
  admin: TestPerson,
  owner: TestPerson,
): Record<string, () => Promise<Changeable>> {
  async function aUser(): Promise<Changeable> {
    const { id } = await aPerson(app, "manager");
    const list = () => app.call(listUsers, { query: { limit: 200 }, as: admin.token });
    return { params: { id }, as: admin, read: async () => found((await list()).body.data, id) };
  }

  return {
    async updateCredential() {
      const fields = { ...FIELDS, type: "application", host: "db.example.com", environment: "staging" } as const;
      const { id } = await aCredential(app, owner, fields);
      const read = async () => (await app.call(readCredential, { params: { id }, as: owner.token })).body;
      return { params: { id }, as: owner, read };
    },
    async updateAccount() {
      const safe = await aSafe(app, owner);
      const { id: platform_id } = await aPlatform(app);
      const body = {
        ...FIELDS,
        name: "Payroll",
        hostname: "db.example.com",
        platform_id,
        system_type: "Application",
        connection_method: "HTTPS",
        account_type: "service",
        notes: "Only at night",
        safe_id: safe.id,
        password: aSecret(),
      } as const;
      const { id } = made(await app.call(createAccount, { body, as: owner.token }));
      const read = async () => {
        const { body: shown } = await app.call(readAccountDetails, { params: { id }, as: owner.token });
        return { ...shown, hostname: shown.hostname_ip };
      };
      return { params: { id }, as: owner, read };
    },
    async updateAuditSink() {
      const config = { kind: "syslog", host: "siem.example.com", port: 1514, transport: "tcp" } as const;
      const body = { name: aName("SIEM"), format: "cef", every_seconds: 90, config, is_enabled: false } as const;
      const { id } = made(await app.call(createAuditSink, { body, as: admin.token }));
      const read = async () => {
        const sink = await found((await app.call(listAuditSinks, { as: admin.token })).body.sinks, id);
        // The trail grows in the meantime, so the sink's lag changes.
        const { status: _, ...settings } = sink;
        return settings;
      };
      return { params: { id }, as: admin, read };
    },
    async updateDiscoveryTarget() {
      const safe = await aSafe(app, admin);
      const login = { system_type: "Linux", connection_method: "SSH", hostname: "server1.example.com" } as const;
      const credential = await anAccount(app, admin, safe, login);
      const body = {
        name: aName("Target"),
        description: "A description",
        targetType: "linux",
        connectionMethod: "ssh",
        hostname: "server2.example.com",
        credentialId: credential.id,
        safeId: safe.id,
        settings: { port: 2222, timeout: 5000 },
      } as const;
      const { id } = made(await app.call(createDiscoveryTarget, { body, as: admin.token }));
      const read = async () => {
        const shown = (await app.call(readDiscoveryTarget, { params: { id }, as: admin.token })).body;
        const { target_type: targetType, connection_method: connectionMethod, credential_id: credentialId } = shown;
        return { ...shown, targetType, connectionMethod, credentialId, isActive: shown.is_active };
      };
      return { params: { id }, as: admin, read };
    },
    async updateScanConfig() {
      const scanConfig = ScanConfig.parse({
        scanType: "compliance",
        scanSshKeys: false,
        autoVaultFindings: true,
        riskThreshold: "high",
        scanDepth: "deep",
        includeSystemFiles: true,
        filePatterns: ["*.toml"],
        excludePatterns: ["/srv/cache/*"],
        maxFileSize: 1000,
        timeoutSeconds: 60,
        maxLoadPerCore: 2,
        readAgain: true,
      });
      const body = { name: aName("Config"), scanConfig, complianceFrameworks: ["gdpr" as const] };
      const { id } = made(await app.call(createScanConfig, { body, as: admin.token }));
      const read = async () => {
        const shown = (await app.call(readScanConfig, { params: { id }, as: admin.token })).body;
        return { ...shown, scanConfig: shown.scan_config, complianceFrameworks: shown.compliance_frameworks };
      };
      return { params: { id }, as: admin, read };
    },
    async updateGroup() {
      const fields = { description: "All of them", kind: "team", may_break_glass: true } as const;
      const { id } = await aGroup(app, [owner], fields);
      const read = async () => found((await app.call(listGroups, { as: admin.token })).body.groups, id);
      return { params: { id }, as: admin, read };
    },
    async updateIdentityProvider() {
      const settings = {
        issuer: "https://login.example.com",
        client_id: "strongroom",
        scopes: "openid email",
        group_claim: "roles",
        factor_values: ["mfa"],
      };
      const body = {
        kind: "oidc",
        name: aName("Company"),
        is_enabled: false,
        creates_people: true,
        links_by_email: true,
        without_group: "user",
        role_mappings: [{ group: "ops", role: "manager" }],
        domains: ["example.com"],
        settings,
        secret: aSecret(),
      } as const;
      const { id } = made(
        await app.call(createIdentityProvider, {
          body: { ...body, domains: [...body.domains] } as never,
          as: admin.token,
        }),
      );
      const read = async () => found((await app.call(listIdentityProviders, { as: admin.token })).body.data, id);
      return { params: { id }, as: admin, read };
    },
    async updateMachine() {
      const body = { name: aName("Deployment"), description: "Deploys", responsible_user_id: owner.id };
      const { id } = made(await app.call(createMachine, { body, as: admin.token }));
      const read = async () => {
        const shown = await found((await app.call(listMachines, { as: admin.token })).body.data, id);
        return { ...shown, responsible_user_id: (shown["responsible"] as Json)["user_id"] };
      };
      return { params: { id }, as: admin, read, alsoRequired: "responsible_user_id" };
    },
    async updatePlatform() {
      const { id } = await aPlatform(app, {
        description: "Databases at night",
        is_active: false,
        verify_every_hours: 12,
        rotate_every_days: 30,
        rotate_automatically: false,
        rotation_window: { from_hour: 1, to_hour: 5 },
        rotation_jitter_minutes: 7,
        reconcile_hosts: ["*.example.com"],
        approvals_level_1: 1,
        reason_required: true,
      });
      const read = async () => (await app.call(readPlatform, { params: { id }, as: admin.token })).body;
      return { params: { id }, as: admin, read };
    },
    async updateSafe() {
      const fields = { description: "Shared", safe_type: "application", access_level: "public" } as const;
      const { id } = await aSafe(app, owner, { ...fields, status: "inactive" });
      const read = async () => (await app.call(readSafe, { params: { id }, as: owner.token })).body;
      return { params: { id }, as: owner, read };
    },
    async updateSafeMember() {
      const safe = await aSafe(app, owner);
      const end = new Date(Date.now() + 3_600_000).toISOString();
      const member = await aMember(app, owner, safe, await aPerson(app), "auditor", end);
      const params = { id: safe.id, member_id: member.id };
      const list = () => app.call(listSafeMembers, { params: { id: safe.id }, as: owner.token });
      return { params, as: owner, read: async () => found((await list()).body.members, member.id) };
    },
    async updateSignInPolicy() {
      const read = async () => (await app.call(readSignInPolicy, { as: admin.token })).body;
      return { as: admin, read };
    },
    async updateTokenPolicy() {
      const read = async () => (await app.call(readTokenPolicy, { as: admin.token })).body;
      return { as: admin, read };
    },
    async updateDashboardPreferences() {
      const read = async () => (await app.call(readDashboardPreferences, { as: owner.token })).body;
      return { as: owner, read };
    },
    async updateNotificationPreferences() {
      const read = async () => (await app.call(readNotificationPreferences, { as: owner.token })).body;
      return { as: owner, read };
    },
    async renameOneself() {
      return { as: owner, read: async () => (await app.call(readOwnProfile, { as: owner.token })).body };
    },
    changeUserRole: aUser,
    setUserStatus: aUser,
  };
}
