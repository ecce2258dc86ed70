// `user list`: lists all users, newest first.
import { listPage } from "@strongroom/server/features/users/index.ts";
import type { Person } from "@strongroom/server/features/users/index.ts";
import { command } from "../command.ts";
import { printJson, printTable } from "../output.ts";
import { withContext } from "../command-context.ts";
import type { CommandContext } from "../command-context.ts";

const PAGE = 500;

export const userList = command({
  options: { json: { type: "boolean" } },
  operands: [0, 0],
  async run({ json }) {
    const people = await withContext(readAll);
    if (json) return printJson(people);
    const rows = people.map(({ email, name, role, requested_role: wanted, status, last_signed_in_at: last }) => [
      email,
      name,
      wanted === null ? role : `${role} (requests ${wanted})`,
      status,
      last?.toISOString() ?? "never",
    ]);
    printTable(["EMAIL", "NAME", "ROLE", "STATUS", "LAST SIGN-IN"], rows);
  },
});

async function readAll({ database }: CommandContext): Promise<Person[]> {
  const people: Person[] = [];
  for (;;) {
    const before = people.at(-1)?.id ?? null;
    const page = await listPage(database.db, { limit: PAGE, before, search: null, withRoleRequest: false });
    people.push(...page);
    if (page.length < PAGE) return people;
  }
}
