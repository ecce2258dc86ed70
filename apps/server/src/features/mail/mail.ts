// Hands plain-text mails to the configured SMTP server.
import { createTransport } from "nodemailer";
import type { Config } from "#kernel/config.ts";

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
}

export interface Mail {
  /** Whether there is an SMTP server to hand mails to. */
  readonly isConfigured: boolean;
  /**
   * Resolves when the server has taken the mail. Throws when it has not; whether to try again is for the caller, whose
   * error names the server's answer and never the mail's text. Slow: never call it inside a transaction.
   */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

const CONNECT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 30_000;

export function openMail({ smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">): Mail {
  if (smtpUrl === null) return { isConfigured: false, send: withoutServer, close: () => {} };
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    // A mail is text that we wrote: nothing in it is ever read from a file or fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    isConfigured: true,
    async send({ to, subject, text }) {
      // An address as an object is taken as it is; text would be parsed and could name several people.
      await transport.sendMail({ from: mailFrom, to: { name: "", address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}

async function withoutServer(): Promise<void> {
  throw new Error("a mail was to be sent although no SMTP server is configured");
}
