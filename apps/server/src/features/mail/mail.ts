// Sends plain-text email through the configured SMTP server.
import { createTransport } from "nodemailer";
import type { Config } from "#kernel/config.ts";

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
}

export interface Mail {
  /** Whether an SMTP server is configured. */
  readonly isConfigured: boolean;
  /**
   * Resolves when the server has accepted the email. Otherwise throws an error that contains the server's reply and
   * never the email's text; the caller decides whether to retry. This is slow: never call it inside a transaction.
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
    // Strongroom writes the text of every email: `nodemailer` must never read a file or fetch a URL for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    isConfigured: true,
    async send({ to, subject, text }) {
      // `nodemailer` uses an address given as an object unchanged, but would parse a string, which could name several
      // recipients.
      await transport.sendMail({ from: mailFrom, to: { name: "", address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}

async function withoutServer(): Promise<void> {
  throw new Error("cannot send mail: no SMTP server is configured");
}
