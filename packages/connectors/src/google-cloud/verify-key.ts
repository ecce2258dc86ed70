// Verifies a key of a service account: Google issues a token for it, which needs no permission.
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { misconfigured, verified } from "../finding.ts";
import { googleAccessOf } from "./google-access.ts";
import { failureOf, openGoogle } from "./google-session.ts";

export async function verifyKey(target: Target, value: string, current: Attempt): Promise<Finding> {
  const access = googleAccessOf(target, value);
  if ("failure" in access) return access.failure;
  const { id, email, project } = access.key;
  try {
    current.waitFor("Google to answer");
    const session = await openGoogle(access, current);
    session.close();
  } catch (error) {
    return failureOf(error, access);
  }
  const { username } = target;
  if (username && username.toLowerCase() !== email.toLowerCase())
    return misconfigured("name-mismatch", `The key works, but belongs to ${email}, not to ${username}.`);
  return verified(`Google accepted the key ${id} of ${email}.`, { email, project, keyId: id });
}
