// RabbitMQ's management interface: administrators read and set users (HTTPS with basic authentication).
import type { Attempt } from "../attempt.ts";
import type { Failure, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import { exchange, type HttpAnswer } from "../http-exchange.ts";
import { brokerOf, type Broker } from "./verify-login.ts";

export interface Management {
  broker: Broker;
  /** The interface's name in messages. */
  where: string;
  /** The response to a request, whatever its status. */
  ask(method: "GET" | "PUT", path: string, more?: MoreOfRequest): Promise<HttpAnswer | { failure: Failure }>;
  /** The failure that an unsuccessful status means. */
  failureOf(status: number): Failure;
}

interface MoreOfRequest {
  body?: object;
  maxReceivedBytes?: number;
  sending?: () => void;
}

/** `management_port` sets the port of the interface; the default is 15671. */
export function managementOf(target: Target, password: string, attempt: Attempt): Management | { failure: Failure } {
  const broker = brokerOf(target, password);
  if ("failure" in broker) return broker;
  if (broker.username.includes(":")) {
    return { failure: misconfigured("bad-input", "The management interface does not allow a colon in a user name.") };
  }
  const { management_port = 15_671 } = target.additionalParams;
  const port = Number(management_port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return { failure: misconfigured("bad-input", 'The additional parameter "management_port" must be a port number.') };
  }
  const where = nameOf({ host: broker.host, port });
  const authorization = `Basic ${Buffer.from(`${broker.username}:${password}`).toString("base64")}`;
  return {
    broker,
    where,
    ask: (method, path, { body, ...more } = {}) => {
      const url = URL.parse(`https://${where}${path}`);
      if (url === null)
        return Promise.resolve({
          failure: misconfigured("bad-input", "The host is not a valid host name or address."),
        });
      const headers = { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return exchange({ url, method, headers, readsBody: true, ...text, ...more }, broker.tls, attempt);
    },
    failureOf: (status) => statusFailure(status, where, broker.username),
  };
}

/** Logs in and returns the user's tags, which show whether it is an administrator. */
export async function tagsOfOwn(management: Management): Promise<{ tags: string[] } | { failure: Failure }> {
  const answer = await management.ask("GET", "/api/whoami");
  if ("failure" in answer) return answer;
  if (answer.status !== 200) return { failure: management.failureOf(answer.status) };
  const user = jsonOf(answer.body);
  return { tags: tagsOf(user) };
}

export function pathOf(username: string): string {
  return `/api/users/${encodeURIComponent(username)}`;
}

/** The tags of a user: a list, in older versions a comma-separated text. */
export function tagsOf(user: unknown): string[] {
  const tags = memberOf(user, "tags");
  const list = typeof tags === "string" ? tags.split(",") : Array.isArray(tags) ? tags : [];
  return list.filter((tag) => typeof tag === "string" && tag !== "");
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Undefined for text that is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** 401 means a wrong password or no access to the interface; the caller has already ruled out one of the two. */
function statusFailure(status: number, where: string, username: string): Failure {
  if (status === 401 || status === 403) {
    return rejected("no-permission", `${where} does not allow ${username} to do this. It needs the tag administrator.`);
  }
  if (status >= 500) return unreachable("server-error", `${where} failed with a server error (status ${status}).`);
  return misconfigured(
    "unexpected-status",
    `${where} answered with status ${status}. Check that this is RabbitMQ's management interface.`,
  );
}
