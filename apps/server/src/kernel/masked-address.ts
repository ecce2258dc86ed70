// Masks email addresses for users who may not list users. Enough is shown to distinguish two users with the same name.

/** How many characters of the local part are shown at its start and end, from the fewest to the most. */
const SHOWN = [
  [1, 0],
  [1, 1],
  [2, 2],
] as const;
type Shown = (typeof SHOWN)[number];

/** For example `a…@example.com`. */
export const maskedAddress = (email: string): string => masked(email, SHOWN[0]);

function masked(email: string, [head, tail]: Shown): string {
  const at = email.lastIndexOf("@");
  const local = Array.from(email.slice(0, Math.max(0, at)));
  // At least half of the local part stays hidden.
  const isShort = (head + tail) * 2 > local.length;
  const [begin, end] = isShort ? [Math.min(1, local.length - 1), 0] : [head, tail];
  return `${local.slice(0, Math.max(0, begin)).join("")}…${local.slice(local.length - end).join("")}${email.slice(at)}`;
}

interface Named {
  name: string;
  /** Null for a subject that is not a person, such as a group. */
  email: string | null;
}

/** The part of each address that distinguishes users with the same name; null if the name is unique. */
export function hintsFor(people: readonly Named[]): (string | null)[] {
  const sameName = Map.groupBy(people, ({ name }) => name.trim().toLowerCase());
  return people.map(({ name, email }) => {
    const others = sameName.get(name.trim().toLowerCase())!;
    if (email === null || others.length < 2) return null;
    const addresses = others.flatMap((other) => other.email ?? []);
    const tellsApart = (shown: Shown) =>
      new Set(addresses.map((each) => masked(each, shown))).size === addresses.length;
    return masked(email, SHOWN.find(tellsApart) ?? SHOWN.at(-1)!);
  });
}
