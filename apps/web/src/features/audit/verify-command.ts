// The command that checks an export on a machine that trusts nobody here.

/** A word as a POSIX shell takes it: bare when nothing in it means something, else in single quotes. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const verifyCommand = (file: string, verifierKey: string): string =>
  `npx strongroom audit verify ${shellWord(file)} --key ${shellWord(verifierKey)}`;
