// The mail that carries a reset link.
import type { OutgoingMail } from "#features/mail/index.ts";

export function resetMail(to: { email: string; name: string }, link: string): OutgoingMail {
  return {
    to: to.email,
    subject: "Set a new Strongroom password",
    text: [
      `Hello ${to.name},`,
      "",
      "somebody, most likely you, asked for a new password for your Strongroom account. This link sets it:",
      "",
      link,
      "",
      "It works once and for 30 minutes. If it was not you, do nothing: your password stays as it is.",
      "",
    ].join("\n"),
  };
}
