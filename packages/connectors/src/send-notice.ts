// Tells a web address something by one signed POST.
import { attempt } from "./attempt.ts";
import type { VerifyContext, VerifyResult } from "./connector.ts";
import { misconfigured, rejected, verified } from "./finding.ts";
import type { TlsSettings } from "./tls-settings.ts";

/** `verified`: it answered with a status of 200 to 299. Over HTTPS its certificate is checked. No redirect is followed. */
export function sendNotice(
  address: string,
  body: string,
  headers: Record<string, string>,
  context: VerifyContext,
): Promise<VerifyResult> {
  return attempt(context, async (current) => {
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) return misconfigured("bad-input", "This is no web address.");
    const tls: TlsSettings = { mode: url.protocol === "https:" ? "verify-full" : "disable", ca: null, name: null };
    const sent = { ...headers, "content-type": "application/json" };
    // With the first call: it brings undici along, which no start needs.
    const { exchange } = await import("./http-exchange.ts");
    const answer = await exchange({ url, method: "POST", headers: sent, body }, tls, current);
    if ("failure" in answer) return answer.failure;
    if (answer.status >= 200 && answer.status < 300) return verified(`${url.host} was told.`);
    return rejected("no-permission", `${url.host} answered with the status ${answer.status}.`);
  });
}
