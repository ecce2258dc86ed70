// Changes the password of the MySQL or MariaDB account that logs in with it, also when it has expired.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Target } from "../connector.ts";
import { unsent } from "../finding.ts";
import { logIn } from "./login.ts";
import { candidateProblem, setPassword, standIn } from "./set-password.ts";

export async function changePassword(
  target: Target,
  password: string,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const login = await logIn(target, password, current, { isToChange: true });
  if ("failure" in login) return unsent(login.failure);
  return standIn(login.loggedIn) ?? setPassword(login.loggedIn, null, candidate, current);
}
