// A log-in to RabbitMQ as an application makes it, over AMQP.
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

/** Of a name and a password. */
const MAX_BYTES = 255;

export function brokerOf(target: Target, password: string): Broker | { failure: Failure } {
  const { host, username, additionalParams } = target;
  if (!host) return refuse("There is no host.");
  if (!username) return refuse("There is no user name.");
  if (password === "") return refuse("The password is empty.");
  if (`${username}${password}`.includes("\0")) return refuse("RabbitMQ takes no NUL character in a name or password.");
  if (Buffer.byteLength(username) > MAX_BYTES) return refuse("The user name is too long for RabbitMQ.");
  // The protocol means TLS; only sslmode can say otherwise.
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
  if (Buffer.byteLength(virtualHost ?? "") > MAX_BYTES) return refuse("The virtual host has too long a name.").failure;
  const dialled = await dial(broker, current);
  if ("failure" in dialled) return dialled.failure;
  current.waitFor(`${nameOf(broker)} to answer the AMQP log-in`);
  try {
    const secured = await startTls(dialled.stream, broker.tls, broker);
    if ("failure" in secured) return secured.failure;
    const answer = await amqpLogin(secured.stream, { username: broker.username, password, virtualHost });
    return meaningOf(answer, broker, virtualHost);
  } catch (error) {
    if (error instanceof NotAmqp) {
      return misconfigured(
        "protocol-error",
        `${nameOf(broker)} does not speak AMQP 0-9-1 as it should. Is it the right port?`,
      );
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
        `${where} did not accept the password for ${username}: it is wrong, or the user does not exist, has no password, or may not come from here.`,
      );
    case "host-refused":
      return misconfigured(
        "no-permission",
        `${username} may not use the virtual host ${virtualHost} on ${where}, or there is none. The password was accepted.`,
      );
    case "no-plain":
      return misconfigured("method-not-offered", `${where} does not accept a log-in with a name and a password.`);
    case "closed":
      return unreachable("server-error", `${where} closed the connection (AMQP reply ${answer.code}).`);
    default:
      return answer satisfies never;
  }
}

function insecure(endpoint: Endpoint): Failure {
  return misconfigured(
    "insecure-authentication",
    `RabbitMQ takes the password in clear text, so ${nameOf(endpoint)} gets it only over TLS with a checked certificate. It was not sent.`,
  );
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
