// How the files are called that the audit trail is saved in.

/** The day in UTC, so that two people name the same export alike. */
export const exportFileName = (now: Date): string => `audit-trail-${now.toISOString().slice(0, 10)}.jsonl`;
