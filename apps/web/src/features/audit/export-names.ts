// File names of audit exports.

/** The day in UTC, so that the name does not depend on the user's time zone. */
export const exportFileName = (now: Date): string => `audit-trail-${now.toISOString().slice(0, 10)}.jsonl`;
