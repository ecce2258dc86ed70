// Text helpers: plurals, capital letters and readable names.

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "1 credential", "2 credentials". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** A readable label for a metadata key: `verification_type` becomes "Verification type". */
export const asWords = (key: string): string =>
  capitalised(
    key
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .replace(/[._-]+/g, " ")
      .toLowerCase(),
  );

/** The parts of a text that is separated by commas, semicolons, spaces and line breaks. */
export const partsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== "");
