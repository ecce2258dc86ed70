// The mails that carry a link to set a password.
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

export function invitationMail(to: { email: string; name: string }, link: string): OutgoingMail {
  return {
    to: to.email,
    subject: "You are invited to Strongroom",
    text: [
      `Hello ${to.name},`,
      "",
      "an administrator made a Strongroom account for you. This link lets you choose its password:",
      "",
      link,
      "",
      "It works once and for 7 days. Then ask your administrator for another.",
      "",
    ].join("\n"),
  };
}
