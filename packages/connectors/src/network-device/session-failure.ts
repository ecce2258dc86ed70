// The results for a device session that must not continue.
import type { Failure } from "../connector.ts";
import { nameOf, type Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";

export function passwordEchoed(endpoint: Endpoint): Failure {
  return misconfigured(
    "insecure-authentication",
    `${nameOf(endpoint)} echoes passwords as they are typed, so the prompt was not a password prompt. Nothing more was sent.`,
  );
}

export function mustChange(endpoint: Endpoint, username: string): Failure {
  return {
    outcome: "rejected",
    code: "must-change",
    message: `The password of ${username} on ${nameOf(endpoint)} is right, but must be changed before the account can be used.`,
  };
}
