// Every endpoint of the contract in one list: for the OpenAPI document and for tests over all of them.
import * as accessControl from "./access-control.ts";
import * as accessRequests from "./access-requests.ts";
import * as accessReviews from "./access-reviews.ts";
import * as accountLoginTests from "./account-login-tests.ts";
import * as accountValidation from "./account-validation.ts";
import * as accounts from "./accounts.ts";
import * as admin from "./admin.ts";
import * as adminResets from "./admin-resets.ts";
import * as apiDocs from "./api-docs.ts";
import * as audit from "./audit.ts";
import * as auditProofs from "./audit-proofs.ts";
import * as auditSinks from "./audit-sinks.ts";
import * as auditSubscriptions from "./audit-subscriptions.ts";
import * as connectors from "./connectors.ts";
import * as cpm from "./cpm.ts";
import * as dashboard from "./dashboard.ts";
import * as discoveredAccounts from "./discovered-accounts.ts";
import * as discoveryPrivileges from "./discovery-privileges.ts";
import * as discoveryScans from "./discovery-scans.ts";
import * as discovery from "./discovery.ts";
import * as dependents from "./dependents.ts";
import type { Endpoint } from "./endpoint.ts";
import * as events from "./events.ts";
import * as factors from "./factors.ts";
import * as findingFixes from "./finding-fixes.ts";
import * as findings from "./findings.ts";
import * as groups from "./groups.ts";
import * as health from "./health.ts";
import * as identityProviders from "./identity-providers.ts";
import * as notifications from "./notifications.ts";
import * as onboarding from "./onboarding.ts";
import * as onboardingRules from "./onboarding-rules.ts";
import * as platforms from "./platforms.ts";
import * as policyPreview from "./policy-preview.ts";
import * as preferences from "./preferences.ts";
import * as providerSignIn from "./provider-sign-in.ts";
import * as reports from "./reports.ts";
import * as risk from "./risk.ts";
import * as rotation from "./rotation.ts";
import * as safes from "./safes.ts";
import * as savedViews from "./saved-views.ts";
import * as scans from "./scans.ts";
import * as scanSchedules from "./scan-schedules.ts";
import * as search from "./search.ts";
import * as seal from "./seal.ts";
import * as secondStep from "./second-step.ts";
import * as cloudResources from "./cloud-resources.ts";
import * as rangeScans from "./range-scans.ts";
import * as recordings from "./recordings.ts";
import * as sessions from "./sessions.ts";
import * as severalAccounts from "./several-accounts.ts";
import * as signIn from "./sign-in.ts";
import * as sshCa from "./ssh-ca.ts";
import * as sshKeys from "./ssh-keys.ts";
import * as tokens from "./tokens.ts";
import * as users from "./users.ts";
import * as vault from "./vault.ts";
import * as vaultClosure from "./vault-closure.ts";
import * as validation from "./validation.ts";
import * as validationReport from "./validation-report.ts";
import * as validationSearch from "./validation-search.ts";
import * as validationStatus from "./validation-status.ts";
import * as verification from "./verification.ts";
import * as watchedAccounts from "./watched-accounts.ts";

const features = {
  admin,
  adminResets,
  accessControl: { ...accessControl, ...accessReviews },
  accessRequests,
  accounts: { ...accounts, ...accountLoginTests, ...accountValidation, ...severalAccounts },
  audit: { ...audit, ...auditProofs, ...auditSubscriptions },

  auditSinks,
  connectors,
  cpm,
  dashboard,
  discovery: {
    ...discovery,
    ...discoveryScans,
    ...discoveredAccounts,
    ...discoveryPrivileges,
    ...rangeScans,
    ...cloudResources,
    ...onboarding,
    ...onboardingRules,
  },
  events,
  factors: { ...factors, ...secondStep },
  findings: { ...findings, ...findingFixes },
  groups,
  health: { ...health, ...apiDocs },
  identityProviders: { ...identityProviders, ...providerSignIn },
  notifications,
  platforms,
  preferences,
  reports,
  risk,
  rotation: { ...rotation, ...dependents },
  safes,
  savedViews,
  scans,
  scanSchedules,
  seal,
  search,
  recordings,
  sessions: { ...sessions, ...watchedAccounts },
  signIn,
  sshCa,
  sshKeys,
  tokens,
  users: { ...users, ...policyPreview },
  vault,
  vaultClosure,
  validation: { ...validation, ...validationReport, ...validationSearch, ...validationStatus },
  verification,
};

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === "object" && value !== null && "needs" in value && "audit" in value && "path" in value;
}

export interface NamedEndpoint {
  /** The exported name, which is also the OpenAPI operation id. */
  name: string;
  feature: string;
  endpoint: Endpoint;
}

export const endpoints: readonly NamedEndpoint[] = Object.entries(features).flatMap(([feature, module]) =>
  Object.entries(module).flatMap(([name, value]: [string, unknown]) =>
    isEndpoint(value) ? [{ name, feature, endpoint: value }] : [],
  ),
);
