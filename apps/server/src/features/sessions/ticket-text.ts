// The text of a ticket: 256 random bits. Only its hash is stored.
import { createHash, randomBytes } from "node:crypto";

export const newTicketText = (): string => randomBytes(32).toString("base64url");

/** Whether a text looks like a ticket; does not check that it is valid. */
export const isTicketText = (text: string): boolean => /^[\w-]{43}$/.test(text);

export const hashOfTicket = (text: string): Buffer => createHash("sha256").update(text).digest();
