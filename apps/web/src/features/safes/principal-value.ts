// How a choice among people and groups tells the two apart.

const GROUP = "group:";

export const groupValue = (id: string): string => GROUP + id;

/** The group's id; null when the value is a person's. */
export const groupIdOf = (value: string): string | null => (value.startsWith(GROUP) ? value.slice(GROUP.length) : null);
