// What a person is told after a verification (VAULT-28 to VAULT-31), from the server's answer or from a failed call.
import type { VerifyReply } from "@strongroom/contract";

/** Where the person asked: the list names the credential, its own page need not. */
export type VerifyPlace = "list" | "detail";

export interface VerifyNotice {
  kind: "success" | "error" | "custom";
  text: string;
}

const given = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.trim() === "" ? null : text;

/** The first of the fields that says why, in the order of the specification. */
function failureReason(reply: VerifyReply): string {
  const { data, error, message } = reply;
  return given(data.error) ?? given(data.message) ?? given(error) ?? given(message) ?? "Unknown error";
}

export function noticeOfReply(name: string, reply: VerifyReply, place: VerifyPlace): VerifyNotice {
  if (reply.data.success) {
    const text = place === "detail" ? "Verification completed successfully" : `Verification successful for "${name}"`;
    return { kind: "success", text };
  }
  const reason = failureReason(reply);
  // Nothing was tried, so nothing failed: a type whose connector this installation does not have.
  if (reply.data.outcome === "unsupported") return { kind: "custom", text: `"${name}" was not verified: ${reason}` };
  return { kind: "error", text: `Verification failed for "${name}": ${reason}` };
}

export function noticeOfFailedCall(name: string, error: unknown): VerifyNotice {
  const reason = error instanceof Error ? given(error.message) : null;
  return { kind: "error", text: `Verification failed for "${name}": ${reason ?? "Verification failed"}` };
}
