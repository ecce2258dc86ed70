// Converts times to the contract's `Moment`.

/** Null stays null. */
export const moment = (time: Date | null): string | null => time?.toISOString() ?? null;
