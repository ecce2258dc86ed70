// Sends email to users, if an SMTP server is configured.
import type { Kernel } from "#kernel/kernel.ts";
import { openMail } from "./mail.ts";
import type { Mail } from "./mail.ts";

export function installMail(kernel: Kernel): Mail {
  const mail = openMail(kernel.config);
  kernel.http.addHook("onClose", () => mail.close());
  return mail;
}

export type { Mail, OutgoingMail } from "./mail.ts";
