// The repositories that an entry names.
import type { Failure, Target } from "../connector.ts";
import { misconfigured } from "../finding.ts";

const MAX_REPOSITORIES = 100;

/** Paths such as `team/app.git`: no part of them is a command, an option, or leads to another folder. */
const PATH = /^[\w~][\w.~+-]*(?:\/[\w.~+-]+)*$/;
const LONGEST_PATH = 200;

/** The paths; a URL of the entry's own host counts as its path. */
export function repositoriesOf({ additionalParams, host }: Target): { names: string[] } | { failure: Failure } {
  const { repositories } = additionalParams;
  const listed = typeof repositories === "string" ? repositories.split(",").flatMap(named) : [];
  const names = [...new Set(listed.map((name) => pathOf(name, host)))];
  if (names.length === 0)
    return refuse('Name at least one repository in the additional parameter "repositories", such as team/app.git.');
  if (names.length > MAX_REPOSITORIES) return refuse(`At most ${MAX_REPOSITORIES} repositories can be named.`);
  const invalid = names.find((name) => !isRepository(name));
  return invalid === undefined
    ? { names }
    : refuse(`"${invalid}" is not the path of a repository on this host, such as team/app.git.`);
}

/** With a slash before it, a path is one of the host's file system (SSH only). */
const isRepository = (name: string): boolean =>
  name.length <= LONGEST_PATH && PATH.test(name.replace(/^\//, "")) && !name.split("/").includes("..");

/** Without a user name before the host: it could be followed by a password, which does not belong into parameters. */
const URL_OF_REPOSITORY = /^(https|ssh):\/\/(?:git@)?([^/@:]+|\[[^\]/]+\])(?::\d{1,5})?(\/.+)$/;

function pathOf(name: string, host: string | null): string {
  const [, scheme, of = "", path = ""] = URL_OF_REPOSITORY.exec(name) ?? [];
  if (scheme === undefined || of.toLowerCase() !== host?.toLowerCase()) return name;
  return scheme === "https" ? path.slice(1) : path;
}

const named = (name: string): string[] => (name.trim() === "" ? [] : [name.trim()]);

export function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
