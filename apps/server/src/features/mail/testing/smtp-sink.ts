// A real SMTP server on loopback that stores received emails. For tests.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { callbackify } from "node:util";
import { SMTPServer } from "smtp-server";
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server";

export interface ReceivedMail {
  /** Envelope addresses. */
  from: string;
  to: string[];
  /** As received, headers included. */
  raw: string;
  /** The body, decoded. */
  text: string;
}

export interface SmtpSink {
  url: string;
  /** The number of received emails. */
  readonly count: number;
  /** Resolves with the next email received from now on. */
  next(): Promise<ReceivedMail>;
  /** Resolves with the first email received from now on that matches. */
  first(matches: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  /** Replies to the next email with a temporary error. */
  refuseNext(): void;
  close(): Promise<void>;
}

export async function smtpSink(options: SMTPServerOptions = {}): Promise<SmtpSink> {
  const waiting = new Set<(mail: ReceivedMail) => void>();
  let count = 0;
  let isRefusing = false;

  async function receive(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const raw = await readAll(stream);
    if (isRefusing) {
      isRefusing = false;
      throw Object.assign(new Error("Try again later"), { responseCode: 451 });
    }
    const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
    const mail = { from, to: envelope.rcptTo.map((each) => each.address), raw, text: bodyOf(raw) };
    count += 1;
    for (const offer of waiting) offer(mail);
  }

  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    logger: false,
    ...options,
    onData: callbackify(receive),
  });
  // A client that does not trust the certificate closes the connection. Some tests expect that.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  const first: SmtpSink["first"] = (matches) =>
    new Promise((resolve) => {
      const offer = (mail: ReceivedMail) => {
        if (!matches(mail)) return;
        waiting.delete(offer);
        resolve(mail);
      };
      waiting.add(offer);
    });
  return {
    url: `${options.secure === true ? "smtps" : "smtp"}://127.0.0.1:${port}`,
    get count() {
      return count;
    },
    next: () => first(() => true),
    first,
    refuseNext() {
      isRefusing = true;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The body of a single-part email, 7bit or quoted-printable. */
function bodyOf(raw: string): string {
  const end = raw.indexOf("\r\n\r\n");
  const body = raw.slice(end + 4).replaceAll("\r\n", "\n");
  if (!/^Content-Transfer-Encoding: quoted-printable/im.test(raw.slice(0, end))) return body;
  const bytes = body
    .replace(/=\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
