// Whether somebody could set another's password, found out without changing anything.
import { randomBytes } from "node:crypto";
import { Attribute, Change } from "ldapts";
import type { Attempt } from "../attempt.ts";
import type { Finding, Login, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, rejected, verified } from "../finding.ts";
import { distinguishedName } from "./distinguished-name.ts";
import { logIn } from "./log-in.ts";
import { resultCodeOf } from "./session.ts";

/**
 * Asks to remove a password that the account does not have: who may not write it is told so (50), who may that it is not
 * there (16). Nothing can come of it, whatever the server thinks.
 */
export async function checkReset(target: Target, by: Login, current: Attempt): Promise<Finding> {
  const { username } = target;
  if (!username) return misconfigured("bad-input", "There is no user name.");
  const name = distinguishedName(username, target);
  if ("failure" in name) return name.failure;
  const bound = await logIn({ ...target, username: by.username }, by.secret.reveal(), current);
  if ("failure" in bound) return bound.failure;
  const where = nameOf(bound.address);
  const modification = new Attribute({ type: "userPassword", values: [`{none}${randomBytes(24).toString("hex")}`] });
  try {
    await bound.session.client.modify(name.dn, new Change({ operation: "delete", modification }));
    return unclear(where, by.username, username);
  } catch (error) {
    switch (resultCodeOf(error)) {
      case 16:
        return verified(`${by.username} logs in to ${where} and may set the password of ${username}.`, {
          mayReset: true,
        });
      case 50:
        return rejected(
          "no-permission",
          `${by.username} logs in to ${where}, but may not set the password of ${username}.`,
        );
      case 32:
        return misconfigured("bad-input", `${where} has no ${username}, or ${by.username} may not see it.`);
      default:
        return resultCodeOf(error) === null ? bound.session.failureOf(error) : unclear(where, by.username, username);
    }
  } finally {
    bound.session.close();
  }
}

function unclear(where: string, by: string, username: string): Finding {
  return verified(
    `${by} logs in to ${where}. Whether it may set the password of ${username} shows only when it does.`,
    { mayReset: null },
  );
}
