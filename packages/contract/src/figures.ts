// The definition of each figure, shown as its tooltip. A figure has one definition, wherever it is shown.
import { VERIFICATION_MEANINGS } from "./verification-status.ts";

const SEEN = "your vault credentials and the accounts that you can see";

export const FIGURES = {
  secrets: `All ${SEEN}.`,
  verified: VERIFICATION_MEANINGS.verified,
  failed: VERIFICATION_MEANINGS.failed,
  pending: VERIFICATION_MEANINGS.pending,
  untested: VERIFICATION_MEANINGS.untested,
  successRate: "Successful verifications as a share of all completed verifications in the selected period.",
  criticalFailures:
    "Failing secrets of critical severity: on active grants, reconcile accounts, changed host keys, and rejected production credentials.",
  liveSessions: "Open sessions to targets.",
  activeGrants: "Access grants that have started and not ended.",
  accessRequests: "Access requests in any state. Managers and administrators see all, users their own.",
  expiringGrants: "Active grants with 15 minutes or 10 % of their time left, whichever is less.",
  expiredGrants: "Grants that have expired.",
  privilegedUsers: "Active users with the role manager or administrator.",
  complianceScore: `Share of ${SEEN} that were verified within the interval of their platform (vault credentials: daily) and rotated in time. Rounded down.`,
  accounts: "All accounts that you can see.",
  activeAccounts: "Accounts that are not disabled.",
  rotationRequired: "Accounts whose rotation is due soon or overdue.",
  validAccounts: VERIFICATION_MEANINGS.verified,
  verificationHealth: `Whether verification of ${SEEN} succeeds. Failed: a host key has changed, or more than half fail. Warning: some fail. The header shows the state of the server.`,
} as const;
