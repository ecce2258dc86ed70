// The only place that wires the application: the kernel's components, then each feature.
import type { FastifyInstance } from "fastify";
import type { AddressInfo } from "node:net";
import { installAccessControl } from "#features/access-control/index.ts";
import {
  endAllGrants,
  activeGrants,
  installAccessRequests,
  recordRetrieval,
  removePendingApprovals,
  requestsSeenBy,
  searchableRequests,
  requestsAbout,
} from "#features/access-requests/index.ts";
import {
  accountsOfSafes,
  endAllCheckOuts,
  installAccounts,
  platformCapabilities,
  searchableAccounts,
  searchableHosts,
} from "#features/accounts/index.ts";
import { installAdminResets } from "#features/admin-resets/index.ts";
import { createRestoreWatch, installAdmin } from "#features/admin/index.ts";
import type { RestoreDeps } from "#features/admin/index.ts";
import { installAudit } from "#features/audit/index.ts";
import { installAuditSinks } from "#features/audit-sinks/index.ts";
import { installCpm } from "#features/cpm/index.ts";
import { installConnectors } from "#features/connectors/index.ts";
import { installDashboard } from "#features/dashboard/index.ts";
import { installDependentProposals } from "#features/dependent-proposals/index.ts";
import { installDiscovery } from "#features/discovery/index.ts";
import { installEvents } from "#features/events/index.ts";
import { installFactors } from "#features/factors/index.ts";
import { installFindings } from "#features/findings/index.ts";
import { installGroups, searchableGroups } from "#features/groups/index.ts";
import { installHealth } from "#features/health/index.ts";
import { installIdentityProviders } from "#features/identity-providers/index.ts";
import { installMail } from "#features/mail/index.ts";
import { installNotifications } from "#features/notifications/index.ts";
import { installPlatforms, searchablePlatforms } from "#features/platforms/index.ts";
import { installPreferences } from "#features/preferences/index.ts";
import { installReports } from "#features/reports/index.ts";
import { installRisk } from "#features/risk/index.ts";
import { distrustJournals, installRotation } from "#features/rotation/index.ts";
import { installSafes, searchableSafes } from "#features/safes/index.ts";
import { installScans } from "#features/scans/index.ts";
import { installSeal } from "#features/seal/index.ts";
import { installSearch } from "#features/search/index.ts";
import { installSessions, searchableSessions, sessionsAbout } from "#features/sessions/index.ts";
import { installSignIn } from "#features/sign-in/index.ts";
import { installSshCa } from "#features/ssh-ca/index.ts";
import type { HashParameters } from "#features/sign-in/index.ts";
import { findView, installSavedViews, keepView } from "#features/saved-views/index.ts";
import { installSshKeys } from "#features/ssh-keys/index.ts";
import { installTokens, searchableMachines } from "#features/tokens/index.ts";
import {
  emailsOf,
  idsByEmail,
  installUsers,
  recipientOf,
  searchableUsers,
  whenRulesChange,
} from "#features/users/index.ts";
import { installValidation } from "#features/validation/index.ts";
import { installSecrets } from "#features/secrets/index.ts";
import { installVault, searchableCredentials } from "#features/vault/index.ts";
import { installVaultClosure } from "#features/vault-closure/index.ts";
import { installVerification } from "#features/verification/index.ts";
import { createAuthority } from "#kernel/authz/authorise.ts";
import { systemClock } from "#kernel/clock.ts";
import type { Clock } from "#kernel/clock.ts";
import type { Config } from "#kernel/config.ts";
import type { Database } from "#kernel/db/database.ts";
import { sessionCheck } from "#kernel/db/session-pooling.ts";
import type { Embedded } from "#kernel/embedded/embedded.ts";
import { createEvents } from "#kernel/events/events.ts";
import { anonymous } from "#kernel/http/authenticate.ts";
import { forgetOldAnswers } from "#kernel/http/idempotency.ts";
import { forgetAnswersOf } from "#kernel/http/kept-answers.ts";
import { serveMetrics } from "#kernel/http/metrics-route.ts";
import { serveApiDocuments } from "#kernel/http/openapi.ts";
import { installRateLimits } from "#kernel/http/rate-limits.ts";
import { createHttpServer } from "#kernel/http/server.ts";
import { serveWebApp } from "#kernel/http/web-app.ts";
import { createJobs } from "#kernel/jobs/jobs.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { followRekeys } from "#kernel/keys/follow-rekeys.ts";
import { openKeyRing } from "#kernel/keys/open-key-ring.ts";
import type { Log } from "#kernel/log.ts";
import { createMetrics } from "#kernel/metrics.ts";
import { version } from "#kernel/version.ts";

export interface ComposeOptions {
  config: Config;
  log: Log;
  /** Already migrated. */
  database: Database;
  /** The built web app; null serves the API alone. */
  webFolder: string | null;
  /** The database server that this process supervises; omitted with DATABASE_URL. */
  embedded?: Pick<Embedded, "administration">;
  clock?: Clock;
  /** Cost of a password hash; cheaper than in production only for tests. */
  hashing?: HashParameters;
}

export interface App {
  kernel: Kernel;
  http: FastifyInstance;
  /** The one-time link to register the first administrator; null once a user exists. */
  setupLink(): Promise<string | null>;
  /** Starts background work. Call before the first request. */
  start(): Promise<void>;
  /** Finishes running requests, accepts no new ones, and stops background work. The database stays open. */
  stop(): Promise<void>;
}

export async function compose(options: ComposeOptions): Promise<App> {
  const { config, log, database } = options;
  const metrics = createMetrics();
  const http = await createHttpServer(config, log, metrics);
  const keyRing = await openKeyRing(config, database, log);
  const kernel: Kernel = {
    config,
    log,
    clock: options.clock ?? systemClock,
    database,
    keys: keyRing.ring,
    events: createEvents(database, log),
    jobs: createJobs(database, log),
    metrics,
    http,
    authority: createAuthority(),
    rateLimits: await installRateLimits(http, config.rateLimit),
    authenticator: { current: anonymous },
    publicUrl: () => config.publicUrl ?? localUrl(config.host, http.server.address() as AddressInfo | null),
  };

  const mail = installMail(kernel);
  const preferences = installPreferences(kernel);
  const notifications = installNotifications(kernel, {
    mail,
    recipientOf,
    notificationsOf: preferences.notificationsOf,
  });
  const signIn = installSignIn(kernel, { mail, notify: notifications.notify, hashing: options.hashing });
  const users = installUsers(kernel, { signIn, notify: notifications.notify, settle: notifications.settle });
  const identityProviders = installIdentityProviders(kernel, signIn);
  signIn.parts.newcomers.current = users.notifyOfNewUser;
  installSavedViews(kernel);
  const sshKeys = installSshKeys(kernel);
  const tokens = installTokens(kernel, { notify: notifications.notify });
  signIn.parts.endTokens.current = tokens.endTokens;
  users.onDisabled(tokens.revokeAsDisabled);
  const vaultClosure = installVaultClosure({
    kernel,
    mail,
    notify: notifications.notify,
    hashPassword: (password, signal) => signIn.parts.passwords.hash(password, signal),
    endSessions: signIn.endSessions,
    endTokens: tokens.endTokens,
    forgetReset: signIn.forgetReset,
  });
  const factors = installFactors(kernel, { signIn, notify: notifications.notify });
  const adminResets = installAdminResets({
    kernel,
    notify: notifications.notify,
    isVaultHeld: signIn.isVaultHeld,
    issueResetLink: signIn.issueResetLink,
    resetFactors: factors.removeFactors,
  });
  const live = installEvents(kernel);
  const audit = installAudit(
    kernel,
    { emailsOf, idsByEmail, requestsAbout, sessionsAbout },
    { notify: notifications.notify, views: { findView, keepView } },
  );
  const { historyOfTarget } = audit;
  const secrets = installSecrets(kernel, { notify: notifications.notify });
  const vault = installVault(kernel, { secrets, historyOfTarget });
  const safes = installSafes(kernel, { historyOfTarget });
  const groups = installGroups(kernel, safes);
  installConnectors(kernel);
  installPlatforms(kernel, { capabilities: platformCapabilities() });
  const verification = installVerification(kernel, { secrets, accounts: accountsOfSafes });
  users.onActivated(verification.scheduleVault);
  const grants = { grantsInForce: activeGrants, noteRetrieval: recordRetrieval };
  const accounts = installAccounts(kernel, { secrets, safes, verification, grants, historyOfTarget });
  users.onDeleted(forgetAnswersOf);
  const accessControl = installAccessControl({ kernel, safes, groups, users, notify: notifications.notify });
  // Before the safes: a review decision locks its item before the safe.
  users.onDeleted(accessControl.forgetPerson);
  for (const { forgetPerson } of [factors, vaultClosure, safes, groups, vault, preferences, notifications, tokens])
    users.onDeleted(forgetPerson);
  users.onDeleted(identityProviders.forgetPerson);
  const rotation = installRotation(kernel, {
    verification,
    accountsOfSafes,
    accounts,
    secrets,
    notify: notifications.notify,
  });
  const findings = installFindings(kernel, { accounts, rotation, network: verification.site.network });
  installScans(kernel, { findings, network: verification.site.network });
  installDependentProposals(kernel, { accounts });
  installDiscovery(kernel, { accounts, rotation, secrets, network: verification.site.network });
  const accessRequests = installAccessRequests(kernel, { mail, notifications, accounts, safes, users });
  const seenGrants = { grantsInForce: activeGrants, requestsSeenBy };
  const { notify } = notifications;
  const validation = installValidation(kernel, { verification, notify, grants: seenGrants });
  users.onDeleted(validation.forgetPerson);
  const risk = { kernel, grants: seenGrants };
  installRisk(risk);
  installReports({ kernel, risk, audit, notify });
  installCpm(kernel, { verification, grants: seenGrants });
  installDashboard(kernel, {
    countActiveByRole: users.countActiveByRole,
    grants: seenGrants,
    rootKeyProvider: () => keyRing.provider,
  });
  installSearch(kernel, [
    searchableAccounts(activeGrants),
    searchableHosts(activeGrants),
    searchableCredentials,
    searchableSafes,
    searchableRequests,
    searchableSessions,
    searchableUsers,
    searchableMachines(kernel.clock),
    searchableGroups,
    searchablePlatforms,
  ]);
  const sessions = installSessions(kernel);
  const bindExisting = async () => {
    await secrets.bindExisting();
    await rotation.bindExisting();
  };
  installSshCa(kernel);
  installSeal(kernel, keyRing, { onUnsealed: bindExisting, onSealed: () => live.closeStreams() });
  const sinks = installAuditSinks(kernel, { outlet: audit.outlet, network: verification.site.network, notify });
  audit.compareWith(sinks.standings);
  const restores: RestoreDeps = {
    notify,
    async endSignIns(tx) {
      await factors.endBegun(tx);
      await identityProviders.endFlows(tx);
      return signIn.endEverything(tx);
    },
    endGrants: endAllGrants,
    endCheckOuts: endAllCheckOuts,
    distrustRotations: distrustJournals,
    expireAdminResets: adminResets.expireAll,
    restartWaiting: vaultClosure.restartWaiting,
    deleteRecoveryCodes: factors.deleteRecoveryCodes,
    endAllKeys: sshKeys.endAllKeys,
    removePendingApprovals,
    tokens: tokens.suspended,
  };
  const restoreWatch = createRestoreWatch(kernel, restores);
  const health = installHealth(kernel, version, [
    audit.health,
    sinks.health,
    secrets.health,
    rotation.health,
    restoreWatch.health,
    { name: "root key", problem: () => keyRing.problem(), isEssential: true },
    ...(config.databaseUrl === null ? [] : [sessionCheck(database)]),
  ]);
  const admin = installAdmin(kernel, {
    health,
    keyRing: keyRing,
    signIn,
    mail,
    embedded: options.embedded ?? null,
    restores,
  });

  forgetOldAnswers(kernel);
  serveMetrics(http, config, metrics);
  serveApiDocuments(kernel, version);
  await serveWebApp(http, options.webFolder);

  return {
    kernel,
    http,
    setupLink: () => signIn.setupLink(),
    async start() {
      // Runs before anything else uses data that a restore revived.
      await restoreWatch.start();
      await bindExisting();
      await kernel.events.start();
      await followRekeys(kernel.events, keyRing, log);
      await whenRulesChange(kernel.events, () => live.closeStreams());
      await admin.tidy();
      await kernel.jobs.start();
      audit.start();
      sinks.start();
      accessRequests.start();
      await rotation.start();
      await notifications.start();
      await admin.start();
    },
    async stop() {
      live.closeStreams();
      sessions.closeTerminals();
      await http.close();
      await admin.stop();
      await restoreWatch.stop();
      await accessRequests.stop();
      await rotation.stop();
      await notifications.stop();
      await kernel.jobs.stop();
      health.stop();
      await sinks.stop();
      await audit.stop();
      await kernel.events.stop();
    },
  };
}

function localUrl(host: string, address: AddressInfo | null): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${address?.port ?? 0}`;
}
