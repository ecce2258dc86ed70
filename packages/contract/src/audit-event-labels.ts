// The labels of audit events, in the audit lists and in their filter.

/** Only events that the requirements name, or whose code reads badly as words. */
const LABELS: Readonly<Record<string, string>> = {
  "access-control.previewed": "Access change previewed",
  "access-control.membership-reviewed": "Membership reviewed",
  "access-control.memberships-reviewed": "Memberships reviewed",
  "access-control.review-closed": "Access review closed",
  "access-control.review-exported": "Access review exported",
  "access-control.review-started": "Access review started",
  "access-control.reviewers-reminded": "Reviewers reminded",
  "access-request.broken-glass": "Emergency access opened",
  "access-request.extended": "Access extension requested",
  "access-request.mapped": "Account chosen for access request",
  "access-request.reviewed": "Emergency access reviewed",
  "account.access-allowed": "Account access allowed before rotation",
  "account.bulk-changed": "Accounts changed in bulk",
  "account.dependent-update-asked": "Dependent update requested",
  "account.dependent-mismatch": "Dependent changed in the database",
  "account.dependent-updated": "Dependent updated",
  "account.dependents-bound": "Dependents bound",
  "account.exported": "Accounts exported",
  "account.imported": "Accounts imported",
  "account.password-taken-over": "Password copied from another account",
  "account.reconciliation-asked": "Reconciliation requested",
  "account.rotation-asked": "Rotation requested",
  "account.validation-asked": "Validation requested",
  "audit-sink.delivery-failing": "Audit sink delivery failing",
  "audit-sink.switched": "Audit sink enabled or disabled",
  "audit-witness.fork-refused": "Rewritten audit log refused",
  "audit.contradiction-accepted": "Audit trail contradiction accepted",
  "audit.exported": "Audit trail exported",
  "audit.tampering-found": "Audit trail tampering found",
  "audit.verified": "Audit trail verified",
  "backup.drill-requested": "Restore drill requested",
  "backup.drilled": "Restore drill finished",
  "credential.rotation-asked": "Credential rotation requested",
  "credential.verified": "Credential Verification",
  "credential.version-mismatch": "Active version changed in the database",
  "credential.versions-bound": "Active versions bound",
  "factor.added": "Second factor added",
  "factor.begun": "Second factor setup started",
  "factor.codes-renewed": "Recovery codes renewed",
  "factor.removed": "Second factor removed",
  "factor.reset": "Second factors reset",
  "identity-provider.asked": "Provider sign-in started",
  "identity-provider.person-bound": "User linked to identity provider",
  "platform.reconcile-not-ready": "Reconcile account not ready",
  "policy.changed": "Sign-in policy changed",
  "policy.previewed": "Sign-in policy previewed",
  "restore.found": "Restored database detected",
  "privileged-session.files-used": "Files used in a session",
  "restore.marked": "Database marked as restored",
  "seal.rekey-started": "Root key replacement started",
  "seal.rekeyed": "Root key replaced",
  "seal.sealed": "Vault sealed",
  "seal.signing-key-replaced": "Signing key replaced",
  "seal.unsealed": "Vault unsealed",
  "session.ended": "Signed out",
  "session.others-ended": "Other sessions ended",
  "session.second-step-required": "Second factor required",
  "scan.several-requested": "Scans requested",
  "session.started": "Signed in",
  "session.stepped-up": "Re-authenticated",
  "ssh-ca.key-activated": "SSH CA key activated",
  "ssh-ca.key-created": "SSH CA key created",
  "ssh-ca.key-deleted": "SSH CA key deleted",
  "ssh-key.added": "SSH key added",
  "ssh-key.removed": "SSH key removed",
  "sign-in.spraying-suspected": "Password spraying suspected",
  "user.registered": "Account registered",
  "user.several-activated": "Users activated",
  "validation.exported": "Validation report exported",
};

/** Labels of failures that read badly with "not". */
const FAILED_LABELS: Readonly<Record<string, string>> = {
  "account.rotated": "Account rotation failed",
  "account.validated": "Account validation failed",
  "audit-sink.switched": "Audit sink neither enabled nor disabled",
  "audit.verified": "Audit trail verification failed",
  "credential.rotated": "Credential rotation failed",
  "credential.verified": "Credential Verification",
  "finding.verified": "Finding verification failed",
  "session.started": "Sign-in failed",
  "session.stepped-up": "Re-authentication failed",
};

/** Events that already report a problem. */
const REPORTS_PROBLEM = /(?:failed|failing|refused|login-rejected|suspected|found|mismatch|not-ready|raised)$/;

const PARTICIPLE = /\b(?!privileged\b)(\w+ed|begun|bound|chosen|held|reset|undone)\b/i;

/** `credential.host-key-accepted` becomes "Credential host key accepted". */
export function labelOfAuditEvent(event: string): string {
  const words = event.replaceAll(/[.-]/g, " ");
  return LABELS[event] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The label of an entry whose call was refused or failed: "Account retrieved" becomes "Account not retrieved". */
export function labelOfFailedEvent(event: string): string {
  const label = labelOfAuditEvent(event);
  const known = FAILED_LABELS[event];
  if (known !== undefined) return known;
  return REPORTS_PROBLEM.test(event) ? label : label.replace(PARTICIPLE, "not $1");
}
