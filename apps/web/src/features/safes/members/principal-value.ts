// Encodes a selected user or group in one value.

const GROUP = "group:";

export const groupValue = (id: string): string => GROUP + id;

/** The group's id; null for a user. */
export const groupIdOf = (value: string): string | null => (value.startsWith(GROUP) ? value.slice(GROUP.length) : null);
