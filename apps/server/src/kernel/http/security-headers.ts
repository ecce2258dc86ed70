// Security headers of every reply.
import type { FastifyRequest } from "fastify";
import type { Config } from "../config.ts";

/** Mantine writes style elements at run time, hence `unsafe-inline` for styles only. Scripts come only from our files. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const ALWAYS: readonly [string, string][] = [
  ["content-security-policy", CONTENT_SECURITY_POLICY],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"],
];

export function securityHeaders(
  config: Config,
  request: Pick<FastifyRequest, "protocol" | "url">,
): readonly [string, string][] {
  const headers = [...ALWAYS];
  const isSecure = request.protocol === "https" || config.publicUrl?.startsWith("https:") === true;
  if (isSecure) headers.push(["strict-transport-security", "max-age=31536000; includeSubDomains"]);
  if (request.url.startsWith("/api/") || request.url.startsWith("/health")) headers.push(["cache-control", "no-store"]);
  return headers;
}
