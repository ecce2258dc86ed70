// The emails that carry a link to set a password.
import type { OutgoingMail } from "#features/mail/index.ts";

export function resetMail(to: { email: string; name: string }, link: string): OutgoingMail {
  return {
    to: to.email,
    subject: "Set a new Strongroom password",
    text: [
      `Hello ${to.name},`,
      "",
      "we received a request to reset the password of your Strongroom account. Set a new password with this link:",
      "",
      link,
      "",
      "The link works once and expires in 30 minutes. If you did not request it, ignore this email: your password has not changed.",
      "",
    ].join("\n"),
  };
}

export function invitationMail(to: { email: string; name: string }, link: string): OutgoingMail {
  return {
    to: to.email,
    subject: "You have been invited to Strongroom",
    text: [
      `Hello ${to.name},`,
      "",
      "an administrator created a Strongroom account for you. Choose your password with this link:",
      "",
      link,
      "",
      "The link works once and expires in 7 days. After that, ask your administrator for a new one.",
      "",
    ].join("\n"),
  };
}
