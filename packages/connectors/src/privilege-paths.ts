// Finds the shortest chain of groups or roles from an account to a privileged one.

/**
 * For each direct or nested member of one of the goals: the groups between, the member's own first and the goal last.
 * Cycles end the search of their branch.
 */
export function pathsTo(
  goals: Iterable<string>,
  membersOf: ReadonlyMap<string, readonly string[]>,
): Map<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>();
  const starts = new Set(goals);
  const queue = [...starts];
  for (const group of queue) {
    const path = [group, ...(paths.get(group) ?? [])];
    for (const member of membersOf.get(group) ?? []) {
      if (paths.has(member) || starts.has(member)) continue;
      paths.set(member, path);
      queue.push(member);
    }
  }
  return paths;
}

/** The members of each group, from pairs of group and member. */
export function membersByGroup(pairs: Iterable<readonly [group: string, member: string]>): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const [group, member] of pairs) {
    const known = members.get(group);
    if (known === undefined) members.set(group, [member]);
    else known.push(member);
  }
  return members;
}
