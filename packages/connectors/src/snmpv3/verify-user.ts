// One request to an SNMPv3 agent, signed with the user's key, and an answer that is signed with the same key.
import snmp from "net-snmp";
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { codeOf, connectionFailure, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { permittedAddresses } from "../network-policy.ts";
import { allowedSocket, type AllowedSocket } from "./allowed-socket.ts";
import { snmpLogin, type SnmpLogin } from "./settings.ts";

/** Every agent has sysUpTime.0 (RFC 3418). */
const QUESTION = "1.3.6.1.2.1.1.3.0";
const [AUTHENTICATED, ENCRYPTED] = [1, 2];

export async function verifyUser(target: Target, value: string, current: Attempt): Promise<Finding> {
  const login = snmpLogin(target, value);
  if ("failure" in login) return login.failure;
  const { endpoint } = login;
  current.waitFor(`the address of ${endpoint.host}`);
  const permitted = await permittedAddresses(current.context.network, endpoint.host);
  if ("failure" in permitted) return permitted.failure;
  const address = permitted.addresses[0] ?? "";

  const silence = `${nameOf(endpoint)} to answer (agents do not answer with a wrong privacy password either)`;
  current.waitFor(silence);
  try {
    const socket = await allowedSocket(address, endpoint.port);
    current.signal.addEventListener("abort", socket.close, { once: true });
    if (current.signal.aborted) socket.close();
    return await Promise.race([ask(address, login, socket, current), socket.failed]).finally(socket.close);
  } catch (error) {
    return failureOf(error, endpoint, target.username ?? "");
  }
}

/**
 * INVARIANT: only an answer with the user's own signature counts: the library also accepts unsigned ones, which anyone
 * could send (RFC 3414 §3.2 requires the level of the request).
 */
function ask(address: string, login: SnmpLogin, socket: AllowedSocket, current: Attempt): Promise<Finding> {
  const { endpoint, user, context, isEncrypted } = login;
  const options = {
    port: endpoint.port,
    retries: 2,
    timeout: Math.max(100, Math.ceil(current.remainingMs() / 4)),
    context,
    version: snmp.Version3,
    dgramModule: socket.module,
  };
  const needed = isEncrypted ? AUTHENTICATED | ENCRYPTED : AUTHENTICATED;
  return new Promise((resolve, reject) => {
    const session = snmp.createV3Session(address, user, options);
    session.on("error", reject);
    // Without this, the library's later retries would keep the process alive.
    current.signal.addEventListener("abort", () => session.cancelRequests(new Error("over")), { once: true });
    session.get([QUESTION], (error: Error | null) => {
      const isSigned = (socket.lastFlags() & needed) === needed;
      if (error !== null && !(isSigned && error instanceof snmp.RequestFailedError)) reject(error);
      else if (isSigned) resolve(accepted(login));
      else resolve(unsigned(endpoint));
    });
  });
}

const accepted = ({ endpoint, user, isEncrypted }: SnmpLogin) =>
  verified(`${nameOf(endpoint)} accepted ${user.name}${isEncrypted ? "" : " (without encryption)"}.`, { isEncrypted });

const unsigned = (endpoint: Endpoint) =>
  misconfigured(
    "password-not-checked",
    `${nameOf(endpoint)} answered without the signature that proves knowledge of the password.`,
  );

/** The texts are the library's own names for the counters of RFC 3414. */
function failureOf(error: unknown, endpoint: Endpoint, username: string): Finding {
  const where = nameOf(endpoint);
  if (error instanceof Error && error.name === "RequestTimedOutError")
    return unreachable(
      "timeout",
      `${where} did not answer: it is down, a firewall drops the packets, or the privacy password or protocol is wrong (agents do not report that).`,
    );
  const text = error instanceof Error ? error.message : "";
  if (text.startsWith("Unknown User Name"))
    return rejected("wrong-password", `${where} does not know the SNMPv3 user ${username}.`);
  if (text.startsWith("Wrong Digest") || text.startsWith("Authentication digest"))
    return rejected("wrong-password", `${where} did not accept the password or auth_protocol for ${username}.`);
  if (text.startsWith("Decryption") || text.startsWith("Failed to decrypt"))
    return rejected("wrong-password", `${where} did not accept the privacy password or priv_protocol for ${username}.`);
  if (text.startsWith("Unsupported Security Level"))
    return misconfigured(
      "method-not-offered",
      `${where} does not support privacy or authentication for ${username} as configured in the entry (auth_protocol, priv_protocol).`,
    );
  if (text.startsWith("Not In Time Window"))
    return unreachable("not-ready", `The clocks of ${where} and Strongroom differ.`);
  if (codeOf(error) !== undefined) return connectionFailure(error, endpoint);
  return misconfigured("protocol-error", `${where} sent an invalid SNMPv3 response. Check the port.`);
}
