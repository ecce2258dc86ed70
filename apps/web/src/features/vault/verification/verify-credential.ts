// The toast after a verification (VAULT-28 to VAULT-31), from the server's reply or a failed call.
import type { VerifyReply } from "@strongroom/contract";

/** The screen that started the verification: the list's toast names the credential. */
export type VerifyPlace = "list" | "detail";

export interface VerifyNotice {
  kind: "success" | "error" | "custom";
  text: string;
}

const given = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.trim() === "" ? null : text;

/** The first non-empty reason, in the specified order. */
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
  // No connector for this type means no attempt, so this is not a failure.
  if (reply.data.outcome === "unsupported") return { kind: "custom", text: `"${name}" was not verified: ${reason}` };
  if (reply.data.outcome === "aborted") return { kind: "error", text: `"${name}" was not verified: ${reason}` };
  return { kind: "error", text: `Verification failed for "${name}": ${reason}` };
}

export function noticeOfFailedCall(name: string, error: unknown): VerifyNotice {
  const reason = error instanceof Error ? given(error.message) : null;
  return { kind: "error", text: `Verification failed for "${name}": ${reason ?? "Verification failed"}` };
}
