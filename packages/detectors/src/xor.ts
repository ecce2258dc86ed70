// The encoding of passwords in the settings of WebSphere: `{xor}` and base64 of every byte XOR 0x5F. It hides nothing.

const WRITTEN = /^\{xor\}(?<bytes>[A-Za-z\d+/]{4,}={0,2})$/i;

const mixed = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x5f));

/** The value, or null when the text is not in this form. */
export function fromXor(text: string): string | null {
  const bytes = WRITTEN.exec(text)?.groups?.["bytes"];
  if (bytes === undefined) return null;
  const value = mixed(Buffer.from(bytes, "base64")).toString("utf8");
  return /[\ufffd\p{Cc}]/u.test(value) ? null : value;
}

export const toXor = (value: string): string => `{xor}${mixed(Buffer.from(value)).toString("base64")}`;
