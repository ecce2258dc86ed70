// The places of findings: what their beginnings mean, and how people name them.

/** A file of a host, the only place that Strongroom changes. */
export const isFilePlace = (place: string): boolean => place.startsWith("/");

/** An object of a bucket: `s3://bucket/key`. */
export const isObjectPlace = (place: string): boolean => place.startsWith("s3://");

export interface RepositoryPlace {
  repository: string;
  path: string;
}

/** The place of a finding in a Git repository, or null: `git:team/app.git:config/app.env`. */
export function repositoryPlaceOf(place: string): RepositoryPlace | null {
  const [, repository, path] = /^git:([^:]+):(.+)$/s.exec(place) ?? [];
  return repository === undefined ? null : { repository, path: path! };
}

export interface DatabasePlace {
  kind: "column" | "definition" | "setting";
  name: string;
}

/** The place of a finding in a database, or null: `column:shop.public.settings.value`. */
export function databasePlaceOf(place: string): DatabasePlace | null {
  const [, kind, name] = /^(column|definition|setting):(.*)$/s.exec(place) ?? [];
  return kind === undefined ? null : { kind: kind as DatabasePlace["kind"], name: name! };
}

/** Whether the place can be read again, to use its secret. Accounts and processes cannot. */
export const isReadablePlace = (place: string): boolean =>
  isFilePlace(place) || isObjectPlace(place) || repositoryPlaceOf(place) !== null || databasePlaceOf(place) !== null;

/** A place as people name it: a path, `shop.public.settings.value`, or `config/app.env in team/app.git`. */
export function placeName(place: string): string {
  const inRepository = repositoryPlaceOf(place);
  if (inRepository !== null) return `${inRepository.path} in ${inRepository.repository}`;
  return databasePlaceOf(place)?.name ?? place;
}

/** The path of a file, which shows its format. */
export const filePathOf = (place: string): string => repositoryPlaceOf(place)?.path ?? place;
