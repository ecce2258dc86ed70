// The `user` commands: create and list users, let them set a new password or second factor, block or allow their sign-in.
import { ROLES, Role } from "@strongroom/contract";
import { createResetLink, createUser, setUserStatus } from "@strongroom/server/features/sign-in/index.ts";
import { command } from "../command.ts";
import { UsageError } from "../command-error.ts";
import { printLink } from "../reset-link.ts";
import { note, print, printJson, printTable } from "../output.ts";
import { withContext } from "../command-context.ts";
import type { CommandContext } from "../command-context.ts";
import { listPage } from "@strongroom/server/features/users/index.ts";
import type { Person } from "@strongroom/server/features/users/index.ts";
import { resetFactorsOf } from "@strongroom/server/features/factors/index.ts";
import { revokeAllOf, revokeAsDisabled } from "@strongroom/server/features/tokens/index.ts";

export const userAdd = command({
  options: { role: { type: "string", default: "user" }, name: { type: "string" }, json: { type: "boolean" } },
  operands: [1, 1],
  async run({ role: wanted, name, json }, email = "") {
    const role = Role.safeParse(wanted);
    if (!role.success) throw new UsageError(`"${wanted}" is not a role. Choose one of ${ROLES.join(", ")}.`);
    await withContext(async (context) => {
      await createUser(context, { email, role: role.data, ...(name === undefined ? {} : { name }) });
      const made = await createResetLink(context, email);
      if (!json) note(`Created the ${role.data} ${email}. They set their password here:`);
      printLink(made, json);
    });
  },
});

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
  let after: Awaited<ReturnType<typeof listPage>>[number] | null = null;
  for (;;) {
    const page = await listPage(database.db, { limit: PAGE, after, search: null, withRoleRequest: false });
    people.push(...page.map(({ key: _key, ...person }) => person));
    after = page.at(-1) ?? null;
    if (page.length < PAGE) return people;
  }
}

export const userReset = command({
  options: { json: { type: "boolean" } },
  operands: [1, 1],
  async run({ json }, email = "") {
    await withContext(async (context) => printLink(await createResetLink(context, email), json));
  },
});

export const userResetFactors = command({
  options: {},
  operands: [1, 1],
  async run(_values, email = "") {
    const count = await withContext((context) => resetFactorsOf(context, email, revokeAllOf));
    print(
      `${count === 1 ? "1 second factor" : `${count} second factors`} of ${email} removed, and all sessions ended.`,
    );
  },
});

const statusCommand = (status: "active" | "disabled", done: (email: string) => string) =>
  command({
    options: {},
    operands: [1, 1],
    async run(_values, email = "") {
      await withContext((context) => setUserStatus(context, email, status, revokeAsDisabled));
      print(done(email));
    },
  });

export const userDisable = statusCommand("disabled", (email) => `${email} is disabled and signed out everywhere.`);
export const userEnable = statusCommand("active", (email) => `${email} can sign in again.`);
