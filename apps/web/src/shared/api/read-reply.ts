// Turns a fetch response into the reply or a `CallError`.
import { Problem } from "@strongroom/contract";
import { z } from "zod";
import { CallError } from "./call-error.ts";
import { UNREADABLE, answerText } from "./error-texts.ts";

/** The characters of a non-JSON body that an error quotes (CRED-40). */
const MOST_TEXT = 100;

/** Lenient, because a proxy may return only parts of a problem. */
const LooseProblem = z.object({
  code: Problem.shape.code.optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  request_id: z.string().optional().catch(undefined),
  errors: Problem.shape.errors.catch(undefined),
  retry_after: z.number().optional().catch(undefined),
  people_gaining_access: Problem.shape.people_gaining_access.catch(undefined),
});

function parseJson(text: string): { isJson: boolean; value: unknown } {
  try {
    return { isJson: true, value: JSON.parse(text) };
  } catch {
    return { isJson: false, value: undefined };
  }
}

/** `Retry-After` as seconds or as an HTTP date (RFC 9110 §10.2.3); null when missing or invalid. */
export function secondsOf(header: string | null, now: number): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds) : null;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

export async function failureOf(response: Response, path: string): Promise<CallError> {
  const text = await response.text();
  const { isJson, value } = parseJson(text);
  const problem = LooseProblem.safeParse(value).data ?? {};
  const retryAfter = secondsOf(response.headers.get("retry-after"), Date.now()) ?? problem.retry_after ?? null;
  const message = problem.message ?? problem.detail ?? null;
  return new CallError({
    kind: "http",
    status: response.status,
    message: answerText({
      status: response.status,
      statusText: response.statusText,
      path,
      message,
      isJson,
      retryAfter,
    }),
    code: problem.code ?? null,
    errors: problem.errors ?? [],
    retryAfter,
    requestId: problem.request_id ?? response.headers.get("x-request-id"),
    peopleGainingAccess: problem.people_gaining_access ?? null,
    text: isJson ? null : text.slice(0, MOST_TEXT),
  });
}

/** Parses a success through the endpoint's schema. Throws `unreadable` when it does not match. */
export async function replyOf<Reply extends z.ZodType>(response: Response, schema: Reply): Promise<z.output<Reply>> {
  const text = await response.text();
  const { isJson, value } = parseJson(text);
  if (!isJson) {
    throw new CallError({
      kind: "unreadable",
      status: response.status,
      message: UNREADABLE,
      text: text.slice(0, MOST_TEXT),
    });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CallError({ kind: "unreadable", status: response.status, message: UNREADABLE, cause: parsed.error });
}
