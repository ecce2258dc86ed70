// Passwords and tokens of websites with HTTP authentication: Basic and Bearer (undici).
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";
import { HTTP_PARAMETERS } from "./parameters.ts";

/** For entries without a change request. Facts of `verified`: `status`. */
export const httpLoginCheck: Connector = {
  id: "http-login",
  name: "Web site (HTTP authentication)",
  icon: "web",
  types: [],
  protocols: [
    { value: "http-basic", label: "Web site, HTTP basic authentication", port: 443 },
    { value: "http-bearer", label: "Web site, HTTP bearer token", port: 443 },
  ],
  parameters: HTTP_PARAMETERS,
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const text = secret.reveal();
    // Loaded on first use, so that loading does not count towards the attempt's time limit.
    const { verifyLogin } = await import("./verify-login.ts");
    return attempt(context, (current) => verifyLogin(target, text, current));
  },
};

export const httpLogin: Connector = {
  ...httpLoginCheck,
  async change(target: Target, current: Secret, candidate: Secret, context: VerifyContext) {
    const { changeOwn } = await import("./change-password.ts");
    return attemptChange(context, (running) => changeOwn(target, current.reveal(), candidate.reveal(), running));
  },
};
