// References to stored secrets in files: `{{strongroom:<account id>}}`, with the form in which the secret is written there.
import { AccountId } from "./fields.ts";

/** How the secret is written: as a part of a URL, of a string with backslashes or of XML, or in base64. */
export const REFERENCE_FORMS = ["plain", "url", "json", "xml", "base64"] as const;
export type ReferenceForm = (typeof REFERENCE_FORMS)[number];

export interface SecretReference {
  accountId: AccountId;
  form: ReferenceForm;
}

export const referenceText = ({ accountId, form }: SecretReference): string =>
  form === "plain" ? `{{strongroom:${accountId}}}` : `{{strongroom:${accountId}|${form}}}`;

const REFERENCE = /\{\{strongroom:([^{}\s]{1,100})\}\}/g;

/** Every reference in a text, in order. Throws an Error that quotes a reference which is not valid. */
export function referencesIn(text: string): SecretReference[] {
  return [...text.matchAll(REFERENCE)].map(([whole, inner = ""]) => parse(whole, inner));
}

/** The text with each reference replaced by its secret. Throws like `referencesIn`. */
export function resolveReferences(text: string, secretOf: (accountId: AccountId) => string): string {
  return text.replaceAll(REFERENCE, (whole: string, inner: string) => {
    const { accountId, form } = parse(whole, inner);
    return written(secretOf(accountId), form);
  });
}

function parse(whole: string, inner: string): SecretReference {
  const [id, form = "plain", ...more] = inner.split("|");
  const accountId = AccountId.safeParse(id);
  const known = REFERENCE_FORMS.find((each) => each === form);
  if (!accountId.success || known === undefined || more.length > 0) {
    throw new Error(`"${whole}" is not a reference. Write {{strongroom:ACCOUNT-ID}} or {{strongroom:ACCOUNT-ID|url}}.`);
  }
  return { accountId: accountId.data, form: known };
}

const XML: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

function written(secret: string, form: ReferenceForm): string {
  switch (form) {
    case "plain":
      return secret;
    case "url":
      // RFC 3986: `encodeURIComponent` leaves five reserved characters.
      return encodeURIComponent(secret).replaceAll(
        /[!'()*]/g,
        (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
      );
    case "json":
      return JSON.stringify(secret).slice(1, -1);
    case "xml":
      return secret.replaceAll(/[&<>"']/g, (each) => XML[each]!);
    case "base64":
      return base64Of(secret);
  }
  return form satisfies never;
}

/** UTF-8 in base64, without APIs of Node: browsers load this file too. */
const base64Of = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
