// Script injection payloads, and the text fields of the contract.
import { pathOf } from "@strongroom/contract";
import type { Endpoint } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import { sampleBody } from "../../apps/server/src/testing/sample-bodies.ts";

/** Each payload runs `pwned()` if it is interpreted as markup, a link, a template or a formula. */
export const PAYLOADS = [
  `<img src=x onerror=pwned()>`,
  `"><svg onload=pwned()>`,
  `'-pwned()-'`,
  `<script>pwned()</script>`,
  `javascript:pwned()`,
  `[a](javascript:pwned())`,
  `{{constructor.constructor('pwned()')()}}`,
  `\${pwned()}<%= pwned() %>`,
  `=HYPERLINK("javascript:pwned()")`,
  `</title></textarea><iframe srcdoc="<script>parent.pwned()</script>">`,
] as const;

/** Direction overrides and invisible characters, which every name field refuses. */
export const UNSEEN = ["invoice\u202Efdp.exe", "a\u0000b", "a\u001b[2Jb", "line\u2028break"] as const;

let turn = 0;

/** Returns a different payload each time, with a unique number, at most `most` characters long. */
export function payload(most = Infinity): string {
  const fitting = PAYLOADS.filter(({ length }) => length + 4 <= most);
  turn += 1;
  const chosen = fitting[turn % Math.max(1, fitting.length)] ?? "<b>";
  return `${chosen}${turn}`.slice(0, most);
}

/** Excludes fields that are never shown, and calls that end the session or lock users out. */
const SECRET =
  /^(value|password|.*_password|secret|passphrase|token|setup_token|code|pending|.*_key|authorization|csv|ca|fingerprint)$/;
const LEFT_OUT =
  /^(login|register|unseal|stepUp|changePassword|completePasswordReset|requestPasswordReset|completeSignIn|updateSignInPolicy|updateTokenPolicy|beginFirstFactor|addFirstFactor|signInWithPasskey|finishOidc|beginOidc|addCheckpoint|revokeAccessRequest|moveAccount|setUserStatus)$/;

type Json = Record<string, unknown>;

interface TextField {
  path: string[];
  most: number;
}

/** Paths of free-text fields in this body, at every depth of its sample. */
function textFields(schema: Json, sample: unknown, path: string[] = []): TextField[] {
  const parts = ["anyOf", "oneOf", "allOf"].flatMap((key) => (schema[key] as Json[] | undefined) ?? []);
  const inParts = parts.flatMap((part) => textFields(part, sample, path));
  if (schema["type"] === "object") {
    const properties = Object.entries((schema["properties"] as Record<string, Json> | undefined) ?? {});
    const known = typeof sample === "object" && sample !== null ? (sample as Json) : {};
    const own = path.length === 0 || Object.keys(known).length > 0 ? properties : [];
    return [...inParts, ...own.flatMap(([name, each]) => textFields(each, known[name], [...path, name]))];
  }
  const isText = schema["type"] === "string" && !("enum" in schema) && !("const" in schema) && !("format" in schema);
  if (!isText || "pattern" in schema || SECRET.test(path.at(-1) ?? "")) return inParts;
  return [...inParts, { path, most: Number(schema["maxLength"] ?? 1000) }];
}

const bodySchema = ({ body }: Endpoint): Json => body!.toJSONSchema({ io: "input", unrepresentable: "any" });

function withAt(body: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const before = (body ?? {}) as Json;
  return { ...before, [name]: withAt(before[name], rest, value) };
}

/** Ids of existing objects, by the field or path that takes them: `safe_id`, or `/safes/:id`. */
export type Known = Record<string, string>;

/** Replaces the sample's fictitious ids with existing ones. */
function withKnown(body: unknown, known: Known): unknown {
  if (Array.isArray(body)) return body.map((each) => withKnown(each, known));
  if (typeof body !== "object" || body === null) return body;
  const entries = Object.entries(body).map(([name, value]) => {
    if (Array.isArray(value) && value.length > 0 && name.endsWith("_ids"))
      return [name, [known[name.slice(0, -1)] ?? value[0]]];
    return [name, known[name] ?? withKnown(value, known)];
  });
  return Object.fromEntries(entries);
}

/** For example, `/api/v1/safes/:id/…` is about a safe. */
const KINDS: readonly [prefix: string, name: string][] = [
  ["/api/v1/safes/", "safe_id"],
  ["/api/v1/accounts/", "account_id"],
  ["/api/v1/credentials/", "credential_id"],
  ["/api/v1/groups/", "group_id"],
  ["/api/v1/platforms/", "platform_id"],
  ["/api/v1/jit/", "request_id"],
  ["/api/v1/users/", "user_id"],
  ["/api/v1/machine-identities/", "machine_id"],
  ["/api/v1/identity-providers/", "provider_id"],
  ["/api/v1/audit/sinks/", "sink_id"],
];

export interface Sent {
  name: string;
  status: number;
  /** The typed texts, by path. */
  typed: Record<string, string>;
  reply: unknown;
}

export interface Typist {
  /**
   * Calls the endpoint with a payload in every text field that accepts one. A field that refuses payloads keeps its sample value.
   */
  type(name: string, fixed?: Json): Promise<Sent>;
  known: Known;
}

/** Sends payloads as this user over HTTP, and remembers created objects by their type. */
export function typistOf(url: string, token: string, known: Known): Typist {
  const send = async ({ endpoint }: NamedEndpoint, body: unknown) => {
    const kind = KINDS.find(([prefix]) => `${endpoint.path}/`.startsWith(prefix))?.[1];
    const id = (kind === undefined ? undefined : known[kind]) ?? "0190c0de-0000-7000-8000-00000000beef";
    const params = Object.fromEntries(
      [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, known[name!] ?? id]),
    );
    const answer = await fetch(`${url}${pathOf(endpoint.path, { ...params, id })}`, {
      method: endpoint.method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const reply: unknown = answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
    return { status: answer.status, reply, kind, made: endpoint.method === "POST" && !endpoint.path.includes(":") };
  };
  return {
    known,
    async type(name, fixed = {}) {
      const named = endpoints.find((each) => each.name === name)!;
      const sample = withKnown({ ...(sampleBody(named) as Json), ...fixed }, known);
      let fields = textFields(bodySchema(named.endpoint), sample).filter(
        ({ path: [first = ""] }) => !Object.hasOwn(fixed, first),
      );
      for (;;) {
        const typed = fields.map(({ path, most }) => [path, payload(most)] as const);
        const body = typed.reduce<unknown>((all, [path, text]) => withAt(all, path, text), sample);
        const { status, reply, kind, made } = await send(named, body);
        const refused = ((reply as { errors?: { path: string }[] }).errors ?? []).map(({ path }) => path);
        const left = fields.filter(({ path }) => !refused.includes(path.join(".")));
        if ((status === 400 || status === 422) && left.length < fields.length) {
          fields = left;
          continue;
        }
        const id = (reply as { id?: unknown } | null)?.id;
        if (made && status === 201 && kind !== undefined && typeof id === "string") known[kind] = id;
        return { name, status, reply, typed: Object.fromEntries(typed.map(([path, text]) => [path.join("."), text])) };
      }
    },
  };
}

/** Every call with free text after which users can continue. */
export const typeable = (): string[] =>
  endpoints
    .filter(({ name, endpoint }) => endpoint.body !== undefined && !LEFT_OUT.test(name))
    .filter((named) => textFields(bodySchema(named.endpoint), sampleBody(named)).length > 0)
    .map(({ name }) => name);
