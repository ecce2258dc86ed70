// The places of findings: the forms in which they are stored, and how people name them.

export type FilePlace = { kind: "file"; path: string };
export type ObjectPlace = { kind: "object"; address: string; bucket: string };
export type RepositoryPlace = { kind: "repository"; repository: string; path: string };
export type DatabasePlace = { kind: "column" | "definition" | "setting"; name: string };
export type ProcessPlace = { kind: "process"; part: "arguments" | "environment"; user: string; name: string };
export type AccountPlace = { kind: "account"; name: string };

export type Place = FilePlace | ObjectPlace | RepositoryPlace | DatabasePlace | ProcessPlace | AccountPlace;

/**
 * `/etc/app.env`, `s3://bucket/key`, `git:team/app.git:config/app.env`, `column:shop.public.settings.value`,
 * `process:arguments:USER:NAME` or `account:NAME`. Anything else is the path of a file.
 */
export function placeOf(text: string): Place {
  const [, scheme = "", rest = ""] = /^([a-z0-9]+):(.*)$/s.exec(text) ?? [];
  switch (scheme) {
    case "s3":
      return { kind: "object", address: text, bucket: text.split("/")[2] ?? "" };
    case "git": {
      const [, repository, path] = /^([^:]+):(.+)$/s.exec(rest) ?? [];
      return repository === undefined ? { kind: "file", path: text } : { kind: "repository", repository, path: path! };
    }
    case "column":
    case "definition":
    case "setting":
      return { kind: scheme, name: rest };
    case "process": {
      const [, part, user, name] = /^(arguments|environment):([^:]*):(.*)$/s.exec(rest) ?? [];
      return part === undefined
        ? { kind: "file", path: text }
        : { kind: "process", part: part as ProcessPlace["part"], user: user!, name: name! };
    }
    case "account":
      return { kind: "account", name: rest };
    default:
      return { kind: "file", path: text };
  }
}

export const isDatabasePlace = (place: Place): place is DatabasePlace =>
  place.kind === "column" || place.kind === "definition" || place.kind === "setting";

/** A file of a host, the only place that Strongroom changes. */
export const isFilePlace = (text: string): boolean => text.startsWith("/");

/** Whether the place can be read again, to use its secret. Accounts and processes cannot. */
export function isReadablePlace(text: string): boolean {
  const { kind } = placeOf(text);
  return kind === "file" ? isFilePlace(text) : kind !== "account" && kind !== "process";
}

/** A place as people name it: a path, `shop.public.settings.value`, or `config/app.env in team/app.git`. */
export function placeName(text: string): string {
  const place = placeOf(text);
  if (place.kind === "repository") return `${place.path} in ${place.repository}`;
  return isDatabasePlace(place) ? place.name : text;
}

/** The path of a file, which shows its format. */
export function filePathOf(text: string): string {
  const place = placeOf(text);
  return place.kind === "repository" ? place.path : text;
}
