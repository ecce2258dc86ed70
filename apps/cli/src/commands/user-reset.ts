// `user reset`: the single-use link by which somebody who forgot their password sets a new one.
import { makeResetLink } from "@strongroom/server/features/sign-in/index.ts";
import { command } from "../command.ts";
import { sayLink } from "../reset-link.ts";
import { atWork } from "../workplace.ts";

export const userReset = command({
  options: { json: { type: "boolean" } },
  operands: [1, 1],
  async run({ json }, email = "") {
    await atWork(async (workplace) => sayLink(await makeResetLink(workplace, email), json));
  },
});
