// `user add`: makes an account, and prints the link by which its owner sets the password.
import { ROLES, Role } from "@strongroom/contract";
import { createUser, makeResetLink } from "@strongroom/server/features/sign-in/index.ts";
import { command } from "../command.ts";
import { UsageError } from "../command-error.ts";
import { sayLink } from "../reset-link.ts";
import { note } from "../output.ts";
import { atWork } from "../workplace.ts";

export const userAdd = command({
  options: { role: { type: "string", default: "user" }, name: { type: "string" }, json: { type: "boolean" } },
  operands: [1, 1],
  async run({ role: wanted, name, json }, email = "") {
    const role = Role.safeParse(wanted);
    if (!role.success) throw new UsageError(`"${wanted}" is no role: it is one of ${ROLES.join(", ")}.`);
    await atWork(async (workplace) => {
      await createUser(workplace, { email, role: role.data, ...(name === undefined ? {} : { name }) });
      const made = await makeResetLink(workplace, email);
      if (!json) note(`Made the ${role.data} ${email}. They set their password here:`);
      sayLink(made, json);
    });
  },
});
