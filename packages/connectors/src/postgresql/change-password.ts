// Changes the password of the PostgreSQL role that logs in with it.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Target } from "../connector.ts";
import { unsent } from "../finding.ts";
import { logIn } from "./login.ts";
import { candidateProblem, setPassword } from "./set-password.ts";

export async function changePassword(
  target: Target,
  password: string,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const problem = candidateProblem(candidate);
  if (problem !== null) return problem;
  const login = await logIn(target, password, current);
  if ("failure" in login) return unsent(login.failure);
  return setPassword(login.loggedIn, null, candidate, current);
}
