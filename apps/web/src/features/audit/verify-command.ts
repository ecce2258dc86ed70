// The command that verifies an export on a machine that does not trust the server.

/** Quotes a word for a POSIX shell: bare when it has no special characters, else in single quotes. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const verifyCommand = (file: string, verifierKey: string): string =>
  `npx strongroom audit verify ${shellWord(file)} --key ${shellWord(verifierKey)}`;
