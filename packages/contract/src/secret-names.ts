// Finds secrets in fields that are stored unencrypted, by the usual names of such fields.

const SECRET_NAME = new RegExp(
  [
    "pass(word|phrase|wd|code)?$",
    "^pwd$|[-_.]pwd$",
    "secret",
    "private[-_ ]?key|api[-_ ]?key|access[-_ ]?key|account[-_ ]?key|shared[-_ ]?key|^key$",
    "token$",
    "credential",
    "authori[sz]ation|^cookie$|^bearer$",
    "signature$|^sig$|^sas$",
  ].join("|"),
  "i",
);

/** Whether a field of this name is likely to hold a secret. */
function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.trim());
}

/**
 * Whether a value contains a secret, according to names: fields of objects at any depth, parameters and user info of
 * URLs, and `name=value` lists such as SQL Server's connection strings. Names that only say where a secret goes (such
 * as an HTTP header's name) are values here and do not count.
 */
export function holdsSecret(value: unknown): boolean {
  if (typeof value === "string") return hasSecretParameter(value);
  if (Array.isArray(value)) return value.some(holdsSecret);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(
    ([name, inner]) => (isSecretName(name) && !isPlaceholder(inner)) || holdsSecret(inner),
  );
}

/** A placeholder for a secret in the description of a request. */
function isPlaceholder(value: unknown): boolean {
  return value === "{old}" || value === "{new}";
}

function hasSecretParameter(text: string): boolean {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  if (url !== null && url.password !== "") return true;
  const pairs = text.matchAll(/(?:^|[?&;#\s])([^?&;#\s=]{1,100})=(?=[^&;#\s])/g);
  return [...pairs].some(([, name = ""]) => isSecretName(decoded(name)));
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
