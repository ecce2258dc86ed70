// The connection under a Telnet session: with TLS if the entry asks for it, in clear text only if the entry explicitly
// allows that.
import type { Attempt } from "../attempt.ts";
import type { Failure, Target } from "../connector.ts";
import { dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { startTls } from "../start-tls.ts";
import { mayCarryClearText, tlsSettings } from "../tls-settings.ts";
import { TelnetStream } from "./telnet.ts";

export async function telnetWire(
  target: Target,
  endpoint: Endpoint,
  current: Attempt,
): Promise<{ stream: TelnetStream; isEncrypted: boolean } | { failure: Failure }> {
  const tls = tlsSettings(target, null);
  if ("failure" in tls) return tls;
  if (!mayCarryClearText(tls) && target.additionalParams["allow_clear_text"] !== true) {
    return {
      failure: misconfigured(
        "insecure-authentication",
        `Telnet sends the password to ${nameOf(endpoint)} in clear text, which can be intercepted. The password was not sent. Use SSH or TLS, or set the additional parameter "allow_clear_text" to true.`,
      ),
    };
  }
  const dialled = await dial(endpoint, current);
  if ("failure" in dialled) return dialled;
  if (tls.mode === "disable") return { stream: new TelnetStream(dialled.stream), isEncrypted: false };
  current.waitFor(`${nameOf(endpoint)} to start TLS`);
  const secured = await startTls(dialled.stream, tls, endpoint);
  return "failure" in secured ? secured : { stream: new TelnetStream(secured.stream), isEncrypted: true };
}
