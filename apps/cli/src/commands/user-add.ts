// `user add`: creates a user, and prints the link with which they set their password.
import { ROLES, Role } from "@strongroom/contract";
import { createUser, createResetLink } from "@strongroom/server/features/sign-in/index.ts";
import { command } from "../command.ts";
import { UsageError } from "../command-error.ts";
import { printLink } from "../reset-link.ts";
import { note } from "../output.ts";
import { withContext } from "../command-context.ts";

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
