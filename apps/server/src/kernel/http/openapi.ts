// The OpenAPI 3.1 document and a page to read it, generated from the endpoints.
import {
  Problem,
  isComplete,
  isKeptWhenMissing,
  readApiPage,
  readOnlyOf,
  readOpenApi,
  scopeOf,
} from "@strongroom/contract";
import type { Endpoint } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import { z } from "zod";
import type { Kernel } from "../kernel.ts";
import { takesKey } from "./idempotency.ts";
import { implementPlain } from "./stream.ts";

type Json = Record<string, unknown>;

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    target: "draft-2020-12",
    ...(isComplete(schema) ? { override: requireAll } : {}),
  });
  const readOnly = io === "input" ? readOnlyOf(schema) : null;
  return readOnly === null ? rest : withReadOnly(rest, schemaOf(readOnly.entity, "output"), readOnly.names);
}

/** The body of a PUT with the fields that it ignores or checks, each marked as read-only. */
function withReadOnly(body: Json, entity: Json, names: readonly string[]): Json {
  const variants = (schema: Json) => (schema["anyOf"] ?? schema["oneOf"]) as Json[] | undefined;
  const bodies = variants(body);
  if (bodies !== undefined) {
    const entities = variants(entity) ?? [];
    const key = body["anyOf"] === undefined ? "oneOf" : "anyOf";
    return { ...body, [key]: bodies.map((each, place) => withReadOnly(each, entities[place] ?? {}, names)) };
  }
  const shown = entity["properties"] as Record<string, Json>;
  const added = names.filter((name) => name in shown).map((name) => [name, { ...shown[name], readOnly: true }]);
  return { ...body, properties: { ...(body["properties"] as Json), ...Object.fromEntries(added) } };
}

/** A PUT body gets no defaults, so every field is required unless the stored value is kept when the field is omitted. */
function requireAll({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}) {
  delete jsonSchema.default;
  if (!(zodSchema instanceof z.ZodObject)) return;
  const fields = Object.entries(zodSchema.shape);
  jsonSchema.required = fields.filter(([, field]) => !isKeptWhenMissing(field)).map(([name]) => name);
}

/** The whole API as an OpenAPI 3.1 document. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const named of endpoints) {
    const path = named.endpoint.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [named.endpoint.method.toLowerCase()]: operation(named) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Strongroom",
      version,
      description: "Privileged access management: store, verify, rotate, grant access, audit.",
    },
    paths,
    components: {
      schemas: { Problem: schemaOf(Problem, "output") },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The access token of a session, or an API token (srt_…)",
        },
      },
    },
  };
}

const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Makes the request safe to repeat: for 24 hours a repeat returns the first response.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
};

/** The scope that an API token needs. */
function tokenNeeds(endpoint: Endpoint): string {
  if (endpoint.needs === "public") return "No token is needed.";
  const scope = scopeOf(endpoint);
  return scope === null ? "API tokens cannot make this call." : `API token scope: ${scope}.`;
}

function operation({ name, feature, endpoint }: NamedEndpoint): Json {
  return {
    operationId: name,
    tags: [feature],
    summary: endpoint.summary,
    description: `Requires: ${endpoint.needs}. ${tokenNeeds(endpoint)} Audit event: ${endpoint.audit}.`,
    ...(endpoint.needs === "public" ? { security: [] } : { security: [{ bearer: [] }] }),
    parameters: [
      ...parameters(endpoint.params, "path"),
      ...parameters(endpoint.query, "query"),
      ...(takesKey(endpoint) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { content: { "application/json": { schema: schemaOf(endpoint.body, "input") } } } }),
    responses: {
      [String(endpoint.status ?? 200)]: { description: "Success", content: replyContent(endpoint) },
      default: {
        description: "Problem details (RFC 9457)",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

function replyContent(endpoint: Endpoint): Json {
  if (endpoint.reply instanceof z.ZodType)
    return { "application/json": { schema: schemaOf(endpoint.reply, "output") } };
  return { [endpoint.reply.stream]: {} };
}

function parameters(schema: z.ZodType | undefined, place: "path" | "query"): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}

const escape = (text: unknown) =>
  String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign);

const shape = (title: string, schema: z.ZodType | undefined, io: "input" | "output") =>
  schema === undefined
    ? ""
    : `<details><summary>${title}</summary><pre>${escape(JSON.stringify(schemaOf(schema, io), null, 2))}</pre></details>`;

function section({ name, endpoint }: NamedEndpoint): string {
  const reply = endpoint.reply instanceof z.ZodType ? endpoint.reply : undefined;
  return `<section id="${name}"><h3><code>${endpoint.method} ${escape(endpoint.path)}</code></h3>
<p>${escape(endpoint.summary)}.</p>
<p class="facts">Requires <code>${endpoint.needs}</code>. ${escape(tokenNeeds(endpoint))} Recorded as <code>${endpoint.audit}</code>.</p>
${shape("Path", endpoint.params, "input")}${shape("Query", endpoint.query, "input")}${shape("Body", endpoint.body, "input")}${shape("Response", reply, "output")}</section>`;
}

/** "adminResets" as "Admin resets". */
function titleOf(feature: string): string {
  if (feature === "cpm") return "CPM";
  const words = feature.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A page without scripts, to read and search in a browser. */
export function docsPage(version: string): string {
  const features = [...new Set(endpoints.map((each) => each.feature))];
  const links = features.map((feature) => `<li><a href="#feature-${feature}">${titleOf(feature)}</a></li>`).join("");
  const body = features
    .map((feature) => {
      const own = endpoints.filter((each) => each.feature === feature);
      return `<h2 id="feature-${feature}">${titleOf(feature)}</h2>${own.map(section).join("")}`;
    })
    .join("");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Strongroom API</title><style>
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:0 auto;padding:1.5rem}
code,pre{font:0.875rem/1.45 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;border:1px solid #8886;border-radius:6px}
section{border-top:1px solid #8884;padding:.5rem 0}h3{overflow-wrap:anywhere;margin:.5rem 0}h3 code{font-weight:600}summary{cursor:pointer}p{margin:.25rem 0}.facts{opacity:.8}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;list-style:none}</style></head><body><main>
<h1>Strongroom API ${escape(version)}</h1><p>Authenticate with the access token of a session or with an
API token: <code>Authorization: Bearer …</code>. Errors are RFC 9457 problem details.
Machine-readable version: <code>/api/openapi.json</code>.</p>
<nav aria-label="Features"><ul>${links}</ul></nav>${body}</main></body></html>`;
}

/** Serves the document and the page to callers that `STRONGROOM_API_DOCS` permits. */
export function serveApiDocuments(kernel: Kernel, version: string): void {
  const { apiDocs } = kernel.config;
  if (apiDocs === "off") return;
  const served = [
    { endpoint: readOpenApi, write: () => JSON.stringify(openApiDocument(version)) },
    { endpoint: readApiPage, write: () => docsPage(version) },
  ] as const;
  for (const { endpoint, write } of served) {
    let text: string | null = null;
    const type = `${endpoint.reply.stream}; charset=utf-8`;
    const needs = apiDocs === "public" ? "public" : endpoint.needs;
    implementPlain(kernel, { ...endpoint, needs }, async () => ({ status: 200, type, text: (text ??= write()) }));
  }
}
