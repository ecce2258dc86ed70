// Logs in to RabbitMQ over AMQP, as an application does.
import type { Attempt } from "../attempt.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { connectionFailure, dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { startTls } from "../start-tls.ts";
import { mayCarryClearText, tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { amqpLogin, NotAmqp, type AmqpAnswer } from "./amqp-login.ts";

export interface Broker extends Endpoint {
  username: string;
  tls: TlsSettings;
}

/** The length limit of a name and of a password. */
const MAX_BYTES = 255;

export function brokerOf(target: Target, password: string): Broker | { failure: Failure } {
  const { host, username, additionalParams } = target;
  if (!host) return refuse("The host is missing.");
  if (!username) return refuse("The user name is missing.");
  if (password === "") return refuse("The password is empty.");
  if (`${username}${password}`.includes("\0"))
    return refuse("RabbitMQ does not allow a NUL character in a name or password.");
  if (Buffer.byteLength(username) > MAX_BYTES) return refuse("The user name is too long for RabbitMQ.");
  // The protocol implies TLS; only sslmode can override that.
  const isTls = target.sslEnabled || additionalParams["sslmode"] === undefined;
  const tls = tlsSettings({ ...target, sslEnabled: isTls }, null);
  if ("failure" in tls) return tls;
  const broker = { host, port: target.port ?? 5671, username, tls };
  return mayCarryClearText(tls) ? broker : { failure: insecure(broker) };
}

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const broker = brokerOf(target, password);
  if ("failure" in broker) return broker.failure;
  const virtualHost = target.databaseName || null;
  if (Buffer.byteLength(virtualHost ?? "") > MAX_BYTES) return refuse("The virtual host's name is too long.").failure;
  const dialled = await dial(broker, current);
  if ("failure" in dialled) return dialled.failure;
  current.waitFor(`${nameOf(broker)} to answer the AMQP login`);
  try {
    const secured = await startTls(dialled.stream, broker.tls, broker);
    if ("failure" in secured) return secured.failure;
    const answer = await amqpLogin(secured.stream, { username: broker.username, password, virtualHost });
    return meaningOf(answer, broker, virtualHost);
  } catch (error) {
    if (error instanceof NotAmqp) {
      return misconfigured("protocol-error", `${nameOf(broker)} sent an invalid AMQP 0-9-1 response. Check the port.`);
    }
    return connectionFailure(error, broker);
  } finally {
    dialled.stream.destroy();
  }
}

function meaningOf(answer: AmqpAnswer, broker: Broker, virtualHost: string | null): Finding {
  const where = nameOf(broker);
  const { username } = broker;
  switch (answer.kind) {
    case "accepted":
      return verified(`Logged in to ${where} as ${username}.`, {
        serverVersion: answer.serverVersion,
        tls: { mode: broker.tls.mode },
      });
    case "refused":
      return rejected(
        "wrong-password",
        `${where} did not accept the password for ${username}. Possible causes: wrong password, unknown user, no password set, or login not permitted from this machine.`,
      );
    case "host-refused":
      return misconfigured(
        "no-permission",
        `${username} has no permission for the virtual host ${virtualHost} on ${where}, or it does not exist. The password was accepted.`,
      );
    case "no-plain":
      return misconfigured("method-not-offered", `${where} does not accept a login with a name and a password.`);
    case "closed":
      return unreachable("server-error", `${where} closed the connection (AMQP reply ${answer.code}).`);
    default:
      return answer satisfies never;
  }
}

function insecure(endpoint: Endpoint): Failure {
  return misconfigured(
    "insecure-authentication",
    `RabbitMQ sends the password in clear text, so ${nameOf(endpoint)} needs TLS with a verified certificate. The password was not sent.`,
  );
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
