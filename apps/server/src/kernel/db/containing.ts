// The pattern of a search within a text.

/** For `like` and `ilike`: matches what holds this text anywhere, whatever signs are in it. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
