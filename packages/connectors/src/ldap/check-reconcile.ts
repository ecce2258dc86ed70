// Checks whether an account can set another account's password, without changing anything.
import { randomBytes } from "node:crypto";
import { Attribute, Change } from "ldapts";
import type { Attempt } from "../attempt.ts";
import type { Finding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, rejected, verified } from "../finding.ts";
import { distinguishedName } from "./distinguished-name.ts";
import { logIn } from "./log-in.ts";
import { resultCodeOf } from "./session.ts";

/**
 * Asks to remove a password that the account does not have: without write permission the answer is 50, with it 16 (no
 * such value). Either way nothing changes.
 */
export async function checkReset(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const { username } = target;
  if (!username) return misconfigured("bad-input", "The user name is missing.");
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
        return verified(
          `${by.username} can log in to ${where} and has permission to set the password of ${username}.`,
          {
            mayReset: true,
          },
        );
      case 50:
        return rejected(
          "no-permission",
          `${by.username} can log in to ${where}, but has no permission to set the password of ${username}.`,
        );
      case 32:
        return misconfigured(
          "bad-input",
          `${where} has no ${username}, or ${by.username} has no permission to see it.`,
        );
      default:
        return resultCodeOf(error) === null ? bound.session.failureOf(error) : unclear(where, by.username, username);
    }
  } finally {
    bound.session.close();
  }
}

function unclear(where: string, by: string, username: string): Finding {
  return verified(
    `${by} can log in to ${where}. Only a change will show whether it can set the password of ${username}.`,
    { mayReset: null },
  );
}
