// Which events of the trail the dashboard can be narrowed to: those of verification.

export const AUDIT_EVENTS = {
  all: "All events",
  "account.validated": "Account validations",
  "credential.verified": "Credential verifications",
  "verification.started": "Verifications begun",
  "verification.run-started": "Runs begun",
  "verification.run-cancelled": "Runs stopped",
  "validation.exported": "Reports exported",
} as const;
export type AuditEvent = keyof typeof AUDIT_EVENTS;
