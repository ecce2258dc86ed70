// Logs in to a website with the Authorization header (RFC 7617 and RFC 6750).
import { verifyByStatus } from "../api-token/verify-token.ts";
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { authorizationOf, loginCheck } from "./login-check.ts";

export async function verifyLogin(target: Target, secret: string, current: Attempt): Promise<Finding> {
  const login = loginCheck(target);
  if ("failure" in login) return login.failure;
  const authorization = authorizationOf(login, target.username, secret);
  if ("failure" in authorization) return authorization.failure;
  const proof = { check: login.check, authorization: authorization.value, what: wordOf(login) };
  return verifyByStatus(proof, login.tls, current);
}

export function wordOf({ isBearer }: { isBearer: boolean }): "token" | "password" {
  return isBearer ? "token" : "password";
}
